/** Message that docs/product.md, "Machines" requires. The dialog for hosts uses it too. */
export const NAME_MISMATCH_MESSAGE =
  'Instance name does not match. Please type the correct instance name to confirm.'

/** The form has no field `mismatch`, so its error appears above the buttons. */
export function checkTypedName(
  fields: FormData,
  name: string,
  field: string
): Record<string, string> {
  return fields.get(field) === name ? {} : { mismatch: NAME_MISMATCH_MESSAGE }
}
