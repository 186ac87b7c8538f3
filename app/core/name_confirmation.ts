import { AppError } from '#core/app_error'

/**
 * The typed name must match exactly (docs/product.md, "Machines").
 * @param field form field with the typed name
 * @throws 422 if it differs
 */
export function assertNameConfirmed(
  record: { name: string },
  typed: unknown,
  field = 'name'
): void {
  if (typed === record.name) return
  const message = 'Instance name does not match. Please type the correct instance name to confirm.'
  throw new AppError('wrong_name', 422, message, { errors: { [field]: [message] } })
}
