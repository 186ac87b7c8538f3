import { recordUsage, type UsageReport, UsageEvent } from '#catalog/public'
import { defineSchedule } from '#core/schedules/schedules'
import { callMailService } from '#mail/call_mail_service'
import type { DailyMailUsage } from '#packages/mail-service/control/contract'
import { DateTime } from 'luxon'

const MAIL_METER = 'mail.accepted'
/**
 * Days before the newest recorded one that are read again, because the mail service may have
 * completed a day late.
 */
const REREAD_DAYS = 3

export default defineSchedule({
  name: 'mail.usage',
  label: 'Records the emails sent on past days for billing',
  every: 3_600,
  async run(signal) {
    let after = { day: await firstDay(), senderId: 0 }
    while (!signal.aborted) {
      const days = await callMailService('closedDays', { after })
      const last = days.at(-1)
      if (!last) return
      await recordUsage(days.flatMap(useOf))
      after = { day: last.day, senderId: last.senderId }
    }
  },
})

async function firstDay(): Promise<string> {
  const newest = await UsageEvent.query().where('meter', MAIL_METER).orderBy('at', 'desc').first()
  return newest ? newest.at.toUTC().minus({ days: REREAD_DAYS }).toISODate()! : '2000-01-01'
}

/** Emails of Berth itself (sender 0) are not billed. */
function useOf({ senderId, accountId, day, accepted }: DailyMailUsage): UsageReport[] {
  if (senderId === 0) return []
  return [
    {
      accountId,
      meter: MAIL_METER,
      quantity: String(accepted),
      at: DateTime.fromISO(day, { zone: 'utc' }),
      source: `mail:${senderId}:${day}:accepted`,
      thing: `sender:${senderId}`,
    },
  ]
}
