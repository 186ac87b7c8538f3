/** Errors by field, and one error above the buttons for errors without a field. */
export interface FormErrors {
  errors: Record<string, string | string[]>
  formError: string | null
}

export const noErrors: FormErrors = { errors: {}, formError: null }

/**
 * Assigns errors to fields. Errors without a field go above the buttons, and so does the message if there are no
 * errors.
 */
export function assignErrors(
  form: HTMLFormElement,
  errors: Record<string, string | string[]>,
  message: string | null = null
): FormErrors {
  const entries = Object.entries(errors)
  const placeless = entries.filter(([name]) => form.elements.namedItem(name) === null)
  const messages = new Set(placeless.flatMap(([, texts]) => texts))
  return {
    errors: Object.fromEntries(entries.filter((entry) => !placeless.includes(entry))),
    formError: entries.length ? [...messages].join(' ') || null : message,
  }
}
