import { displayTimeZone } from '#core/settings/regional_settings'
import { AppError } from '#core/app_error'
import type { DateTime } from 'luxon'

export const NO_HOST_MESSAGE =
  'No host accepts new instances right now. Nothing was ordered. Try again later.'

export function noActiveHost(): AppError {
  return new AppError('no_host', 503, NO_HOST_MESSAGE, { retryAfter: 300 })
}

/** Creates the error for a lack of memory, disk, CPUs or ports. `reason` names the missing resources. */
export function noCapacity(
  reason: string,
  message = 'No host has room for this package right now.'
): AppError {
  return new AppError(
    'no_room',
    409,
    `${message} ${reason} Nothing was changed. Choose a smaller package or try again later.`
  )
}

export function hostUnreachable(name: string, cause: unknown): AppError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new AppError('host_away', 503, `Host ${name} cannot be reached: ${reason}`, {
    retryAfter: 60,
    cause,
  })
}

/** Returns the message that customers see about an offline host. */
export function offlineHostMessage(host: {
  respondsThoughOffline: boolean
  seenAt: DateTime | null
}): string {
  if (host.respondsThoughOffline) {
    return 'The host of your server instance has a problem, and we are working on it. Running instances and their sites keep running.'
  }
  const moment = host.seenAt?.setZone(displayTimeZone()).toFormat("h:mm a 'on' LLL d")
  return moment
    ? `The host of your server instance has not responded since ${moment}. We are working on it.`
    : 'The host of your server instance does not respond. We are working on it.'
}
