/** The errors of a form by field. Each field shows its first error. */
export type FieldErrors = Partial<Record<string, string | string[]>>

/**
 * Returns the props of a Mantine input, with the server's error: `<TextInput {...fieldProps('name',
 * errors)} />`.
 */
export function fieldProps(name: string, errors: FieldErrors | undefined) {
  const message = errors?.[name]
  const error = Array.isArray(message) ? message[0] : message
  return { name, error: error || undefined }
}
