import { AppError } from '#core/app_error'

/**
 * Refuses (422) unless the name was typed exactly (product, "Machines").
 * @param field the one in which it was typed
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
