/** Errors by field, and one error text that is shown above the form's buttons. */
export interface FormErrors {
  errors: Record<string, string | string[]>
  formError: string | null
}

export const noErrors: FormErrors = { errors: {}, formError: null }

/**
 * Assigns errors to the form's fields. Errors of other fields go above the buttons. If there are no errors, the
 * message goes there.
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
