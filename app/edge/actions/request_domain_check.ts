import { notFound } from '#core/app_error'
import Domain from '#edge/models/domain'
import type { ServerInstance } from '#instances/public'
import { DateTime } from 'luxon'

/** Minimum time between a certificate request and the next one that a user starts by the button. */
const MIN_REQUEST_INTERVAL_SECONDS = 60

/**
 * Makes the next check of a domain due now. If the last check failed for lack of a certificate, requests it again, at
 * most once a minute.
 * @throws 404 if the domain is not in the instance's list
 */
export async function requestDomainCheck(instance: ServerInstance, name: string): Promise<void> {
  const domain = await Domain.query()
    .where({ serverInstanceId: instance.id, subdomain: name })
    .first()
  if (!domain) throw notFound('domain')
  const now = DateTime.utc()
  const { step, status, certificateAskedAt: requestedAt } = domain
  if (domain.checkAt > now) domain.checkAt = now
  // Keeps the failure count of an active domain, so that repeated clicks do not delay the status
  // `failed`.
  if (status !== 'active') domain.attempts = 0
  const isOld = !requestedAt || requestedAt < now.minus({ seconds: MIN_REQUEST_INTERVAL_SECONDS })
  if (step === 'certificate' && status !== 'active' && isOld) domain.certificateAskedAt = now
  await domain.save()
}
