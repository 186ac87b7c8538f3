/** What a form was answered: each error at its field, and what has no field above the buttons. */
export interface FormErrors {
  errors: Record<string, string | string[]>
  formError: string | null
}

export const noErrors: FormErrors = { errors: {}, formError: null }

/**
 * Gives each error its one place: at the field of its name where the form shows one, else above the
 * buttons. Without any, the message itself stands there.
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
