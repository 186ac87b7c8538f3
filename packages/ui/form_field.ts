/** Errors of a form by field: the first text of each is shown at its field. */
export type FieldErrors = Partial<Record<string, string | string[]>>

/**
 * Props for a Mantine input, with the server's error at the field:
 * `<TextInput {...field('name', errors)} />`.
 */
export function field(name: string, errors: FieldErrors | undefined) {
  const found = errors?.[name]
  const error = Array.isArray(found) ? found[0] : found
  return { name, error: error || undefined }
}
