import { conflict, AppError } from '#core/app_error'
import { MAX_INSTANCES_PER_ACCOUNT } from '#instances/runtime_limits'

export const NOTHING_OFFERED_MESSAGE = 'No package is offered right now. Try again later.'
export const SOLD_OUT_MESSAGE =
  'Every package is sold out right now, because no host has room. Try again later.'
export const TOO_MANY_INSTANCES_MESSAGE = `You have ${MAX_INSTANCES_PER_ACCOUNT} instances, the limit for one account. Delete one that you do not need.`

export function tooManyInstances(): AppError {
  return new AppError('too_many_instances', 409, TOO_MANY_INSTANCES_MESSAGE)
}

export function instanceBusy(): AppError {
  return new AppError(
    'busy',
    409,
    'Another operation is running on this instance. Wait until it finishes.'
  )
}

export function noFreePorts(): AppError {
  return new AppError('no_ports', 503, 'This host has no free port left. Ask support to free one.')
}

/**
 * Creates an error: Incus's proxy process forwards the ports, so all visitors seem to have the instance's own address
 * and cannot be told apart.
 */
export function hostHidesClientAddresses(): AppError {
  return conflict(
    'The host of this server instance hides the addresses of visitors, so access cannot be limited to one address. Use an SSH tunnel instead.'
  )
}

export function noFreeAddresses(): AppError {
  return new AppError(
    'no_addresses',
    503,
    'This host has no free IP address left for another instance. Ask support.'
  )
}

export function storagePoolFull(cause: unknown): AppError {
  const message =
    'The disk of the host is full. Nothing was created. Try again later or ask support.'
  return new AppError('pool_full', 507, message, { cause })
}

export function instanceDeleted(): AppError {
  return new AppError('deleted_meanwhile', 409, 'The instance was deleted.')
}

/** Creates an error: the container with this name does not belong to the instance. */
export function containerNotOwned(name: string): AppError {
  return new AppError(
    'not_ours',
    409,
    `This host already has an instance named ${name} that does not belong to this installation of Berth.`
  )
}

/**
 * After the restore of a database backup, a host can have containers of orders that the database does
 * not contain.
 */
export function containerOfAnotherOrder(name: string): AppError {
  const message = `This host already has an instance named ${name} that was created for another order. Ask support.`
  return new AppError('not_ours', 409, message)
}

/** Creates an error: the instance's disk is full, including the extra space for a start. */
export function diskFull(cause: unknown): AppError {
  const message =
    'The instance cannot start because its disk is full. All data is kept. Choose a package with a larger disk.'
  return new AppError('disk_full', 409, message, { cause })
}
