/** Letter for letter (product, "Machines"); hosts say the same. */
export const NAME_MISMATCH_MESSAGE =
  'Instance name does not match. Please type the correct instance name to confirm.'

/** What a form that asks for a name to be typed says above its buttons, as an alert. */
export function checkTypedName(
  fields: FormData,
  name: string,
  field: string
): Record<string, string> {
  return fields.get(field) === name ? {} : { mismatch: NAME_MISMATCH_MESSAGE }
}
