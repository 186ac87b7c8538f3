/** Errors of a form by field: the first text of each is shown at its field. */
export type FieldErrors = Partial<Record<string, string | string[]>>

/**
 * Props for a Mantine input, with the server's error at the field:
 * `<TextInput {...fieldProps('name', errors)} />`.
 */
export function fieldProps(name: string, errors: FieldErrors | undefined) {
  const message = errors?.[name]
  const error = Array.isArray(message) ? message[0] : message
  return { name, error: error || undefined }
}
