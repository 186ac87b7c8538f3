import { AppError } from '#core/app_error'

/**
 * Refuses (422) unless the name was typed exactly (product, "Machines").
 * @param field the one in which it was typed
 */
export function assertTypedName(thing: { name: string }, typed: unknown, field = 'name'): void {
  if (typed === thing.name) return
  const words = 'Instance name does not match. Please type the correct instance name to confirm.'
  throw new AppError('wrong_name', 422, words, { errors: { [field]: [words] } })
}
