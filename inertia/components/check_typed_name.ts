/** Message of docs/product.md, "Machines". Hosts use it too. */
export const NAME_MISMATCH_MESSAGE =
  'Instance name does not match. Please type the correct instance name to confirm.'

/** Checks the typed name. The form has no `mismatch` field, so its error appears above the buttons. */
export function checkTypedName(
  fields: FormData,
  name: string,
  field: string
): Record<string, string> {
  return fields.get(field) === name ? {} : { mismatch: NAME_MISMATCH_MESSAGE }
}
