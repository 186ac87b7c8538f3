import type PackageVersion from '#catalog/models/package_version'
import type { BillingPeriod, PackagePrice } from '#catalog/models/server_package'
import Subscription, {
  type EndReason,
  type SubscriptionSubject,
} from '#catalog/models/subscription'
import { priceFor } from '#catalog/actions/lock_offer'
import { nextRenewal } from '#catalog/next_renewal'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'

export interface SubscriptionAgreement {
  accountId: number
  subject: SubscriptionSubject
  version: PackageVersion
  period: BillingPeriod
}

export function startSubscription(
  agreement: SubscriptionAgreement,
  price: PackagePrice,
  at: DateTime,
  trx: TransactionClientContract
): Promise<Subscription> {
  return beginSubscription(
    agreement,
    { price: price.price, renewalPrice: price.renew, at, anchor: at },
    trx
  )
}

/**
 * Ends the subscription, if there is one, and starts one for another package version with the same renewal day. That
 * one costs the renewal price, because first-period prices are for new orders only. Does nothing if the version is the
 * same.
 * @throws Error if the version has no price for the period
 */
export async function changeSubscriptionVersion(
  agreement: SubscriptionAgreement,
  trx: TransactionClientContract
): Promise<void> {
  const running = await findRunningSubscription(agreement.subject, trx)
  if (running?.packageVersionId === agreement.version.id) return
  const { period, version } = agreement
  const price = priceFor(version, period)
  if (!price) throw new Error(`Version ${version.id} has no price per ${period}`)
  const at = DateTime.utc()
  if (running) await end(running, 'resized', at)
  const anchor = running?.anchoredAt ?? at
  await beginSubscription(
    agreement,
    { price: price.renew, renewalPrice: price.renew, at, anchor },
    trx
  )
}

/** Does nothing if the subscription has already ended. */
export async function endSubscription(
  subject: SubscriptionSubject,
  reason: EndReason,
  at: DateTime,
  trx: TransactionClientContract
): Promise<void> {
  const running = await findRunningSubscription(subject, trx)
  if (running) await end(running, reason, at)
}

interface SubscriptionStart {
  price: string
  renewalPrice: string
  at: DateTime
  anchor: DateTime
}

function beginSubscription(
  { accountId, subject, version, period }: SubscriptionAgreement,
  { price, renewalPrice, at, anchor }: SubscriptionStart,
  trx: TransactionClientContract
): Promise<Subscription> {
  return Subscription.create(
    {
      accountId,
      subjectType: subject.type,
      subjectId: subject.id,
      packageVersionId: version.id,
      period,
      price,
      renewalPrice,
      startedAt: at,
      anchoredAt: anchor,
      renewsAt: nextRenewal(anchor, period, at),
    },
    { client: trx }
  )
}

function findRunningSubscription(
  { type, id }: SubscriptionSubject,
  trx: TransactionClientContract
) {
  return Subscription.query({ client: trx })
    .where({ subjectType: type, subjectId: id })
    .whereNull('endedAt')
    .forUpdate()
    .first()
}

async function end(running: Subscription, endReason: EndReason, endedAt: DateTime): Promise<void> {
  await running.merge({ endedAt, endReason }).save()
}
