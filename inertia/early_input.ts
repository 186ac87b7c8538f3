type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

interface EarlyInput {
  /** The last thing that was sent or clicked; resources/views/inertia_layout.edge keeps it. */
  last: { type: 'submit' | 'click'; target: HTMLElement } | null
  end: () => void
}

declare global {
  interface Window {
    earlyInput?: EarlyInput
  }
}

/**
 * Keeps what was typed into a page that the server rendered before its scripts loaded. Call it before hydration, and
 * the function that it returns after it: React then learns of the fields that differ from what the server rendered, and
 * the last form that was sent or button that was clicked gets its event again.
 */
export function keepEarlyInput(page: HTMLElement): () => Promise<void> {
  const before = changedFields(page)
  return async () => {
    const { earlyInput } = window
    earlyInput?.end()
    delete window.earlyInput
    for (const [field, value] of new Map([...before, ...changedFields(page)])) {
      // React renders each before the next: forms make their new data of what they last rendered.
      await nextTask()
      if (field.isConnected) replay(field, value)
    }
    const last = earlyInput?.last
    if (!last) return
    await nextTask()
    if (!last.target.isConnected) return
    if (last.target instanceof HTMLFormElement) last.target.requestSubmit()
    else last.target.click()
  }
}

const nextTask = () => new Promise<void>((resolve) => setTimeout(resolve))

/** Returns the fields that no longer have what the server rendered, with what they have now. */
function changedFields(page: HTMLElement): Map<Field, string | boolean> {
  const changed = new Map<Field, string | boolean>()
  for (const field of page.querySelectorAll<Field>('input, textarea, select')) {
    if (field instanceof HTMLSelectElement) {
      const options = [...field.options]
      const rendered = options.find((option) => option.defaultSelected) ?? options[0]
      if (rendered && rendered.value !== field.value) changed.set(field, field.value)
    } else if (field.type === 'checkbox' || field.type === 'radio') {
      const { checked, defaultChecked } = field as HTMLInputElement
      if (checked !== defaultChecked) changed.set(field, checked)
    } else if (field.type !== 'hidden' && field.value !== field.defaultValue) {
      changed.set(field, field.value)
    }
  }
  return changed
}

/** Makes React see a value: it ignores events of fields that have the value which it knows. */
function replay(field: Field, value: string | boolean): void {
  if (typeof value === 'boolean') {
    const box = field as HTMLInputElement
    box.checked = !value
    return box.click()
  }
  if (field.type === 'file') {
    field.dispatchEvent(new Event('change', { bubbles: true }))
    return
  }
  const caret = document.activeElement === field ? caretOf(field) : null
  const prototype = Object.getPrototypeOf(field) as Field
  // React's own setter is on the element and remembers the value; the browser's is on the prototype.
  field.value = ''
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
  if (caret !== null) (field as HTMLInputElement).setSelectionRange(caret, caret)
}

/** Returns the position of the caret; `null` in fields that do not have one, such as those of email addresses. */
function caretOf(field: Field): number | null {
  return 'selectionStart' in field ? field.selectionStart : null
}
