import { notFound } from '#core/app_error'
import Domain from '#edge/models/domain'
import type { ServerInstance } from '#instances/public'
import { DateTime } from 'luxon'

/** How soon the certificate authority may be asked again because somebody pressed a button. */
const MIN_REQUEST_INTERVAL_SECONDS = 60

/**
 * Has a domain looked at with the next round instead of at its own time.
 * @throws 404 when it leads to another instance
 */
export async function requestDomainCheck(instance: ServerInstance, name: string): Promise<void> {
  const domain = await Domain.query()
    .where({ serverInstanceId: instance.id, subdomain: name })
    .first()
  if (!domain) throw notFound('domain')
  const now = DateTime.utc()
  const { step, status, certificateAskedAt: requestedAt } = domain
  if (domain.checkAt > now) domain.checkAt = now
  // What works keeps its patience with a hiccup.
  if (status !== 'active') domain.attempts = 0
  const isOld = !requestedAt || requestedAt < now.minus({ seconds: MIN_REQUEST_INTERVAL_SECONDS })
  if (step === 'certificate' && status !== 'active' && isOld) domain.certificateAskedAt = now
  await domain.save()
}
