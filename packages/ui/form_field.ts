/** Errors by field. Each field shows its first error. */
export type FieldErrors = Partial<Record<string, string | string[]>>

/** Returns props for a Mantine input: `<TextInput {...fieldProps('name', errors)} />`. */
export function fieldProps(name: string, errors: FieldErrors | undefined) {
  const message = errors?.[name]
  const error = Array.isArray(message) ? message[0] : message
  return { name, error: error || undefined }
}
