type FormField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

interface EarlyInput {
  /**
   * The last submit or click before the scripts loaded, as resources/views/inertia_layout.edge
   * recorded it.
   */
  last: { type: 'submit' | 'click'; target: HTMLElement } | null
  end: () => void
}

declare global {
  interface Window {
    earlyInput?: EarlyInput
  }
}

/**
 * Keeps what the person typed into a server-rendered page before its scripts loaded. Call it before hydration, and the
 * returned function afterwards. That function replays changed fields to React, and then the last submit or click.
 */
export function preserveEarlyInput(page: HTMLElement): () => Promise<void> {
  const before = changedFields(page)
  return async () => {
    const { earlyInput } = window
    earlyInput?.end()
    delete window.earlyInput
    for (const [field, value] of new Map([...before, ...changedFields(page)])) {
      // Waits until React has rendered, because forms compute new data from their last render.
      await nextTask()
      if (field.isConnected) replayValue(field, value)
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

/** Returns fields whose values differ from the rendered values. */
function changedFields(page: HTMLElement): Map<FormField, string | boolean> {
  const changed = new Map<FormField, string | boolean>()
  for (const field of page.querySelectorAll<FormField>('input, textarea, select')) {
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

/**
 * Sets a field's value so that React handles the change. React ignores events if it already knows the field's value.
 */
function replayValue(field: FormField, value: string | boolean): void {
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
  const prototype = Object.getPrototypeOf(field) as FormField
  // Assigning a value on the element calls React's setter, so React remembers the empty value. The prototype's setter
  // then sets the real value without React, so that React sees a change in the events below.
  field.value = ''
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value)
  field.dispatchEvent(new Event('input', { bubbles: true }))
  field.dispatchEvent(new Event('change', { bubbles: true }))
  if (caret !== null) (field as HTMLInputElement).setSelectionRange(caret, caret)
}

/** Returns the caret's position in a field. Returns null for fields without a caret position, such as email fields. */
function caretOf(field: FormField): number | null {
  return 'selectionStart' in field ? field.selectionStart : null
}
