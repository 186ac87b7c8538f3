/** Errors by field. Each field shows its first error. */
export type FieldErrors = Partial<Record<string, string | string[]>>

/** Returns the props of a Mantine input for a field: `<TextInput {...fieldProps('name', errors)} />`. */
export function fieldProps(name: string, errors: FieldErrors | undefined) {
  const message = errors?.[name]
  const error = Array.isArray(message) ? message[0] : message
  return { name, error: error || undefined }
}
