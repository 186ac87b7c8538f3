/** Letter for letter (product, "Machines"); hosts say the same. */
export const NAME_MISMATCH =
  'Instance name does not match. Please type the correct instance name to confirm.'

/** Errors of a form that asks for a name to be typed: field -> words. */
export function checkTypedName(fields: FormData, name: string, field: string) {
  return fields.get(field) === name ? {} : { [field]: NAME_MISMATCH }
}
