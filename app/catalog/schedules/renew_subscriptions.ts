import Subscription from '#catalog/models/subscription'
import { nextRenewal } from '#catalog/next_renewal'
import { defineSchedule } from '#core/schedules/schedules'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

const RENEWAL_BATCH_SIZE = 500

export async function renewSubscriptions(now: DateTime = DateTime.utc()): Promise<void> {
  for (;;) {
    const renewed = await db.transaction(async (trx) => {
      const due = await Subscription.query({ client: trx })
        .whereNull('endedAt')
        .where('renewsAt', '<=', now.toSQL()!)
        .orderBy('id')
        .limit(RENEWAL_BATCH_SIZE)
        .forUpdate()
      for (const one of due) {
        await one.merge({ renewsAt: nextRenewal(one.anchoredAt, one.period, now) }).save()
      }
      return due.length
    })
    if (renewed < RENEWAL_BATCH_SIZE) return
  }
}

export default defineSchedule({
  name: 'subscriptions.renew',
  label: 'Renews subscriptions',
  every: 60,
  run: () => renewSubscriptions(),
})
