import { AppError } from '#core/app_error'
import { defineSchedule } from '#core/schedules/schedules'
import { refreshMailDomainStatus } from '#mail/actions/mail_domains'
import MailDomain from '#mail/models/mail_domain'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

const CHECK_INTERVAL_HOURS = 24
const DOMAIN_BATCH_SIZE = 50

/**
 * Checks up to 50 domains that were never checked, or whose last check is more than a day old. If a
 * check fails with an AppError, the others still run.
 */
export async function refreshDueMailDomains(signal: AbortSignal): Promise<void> {
  const due = await MailDomain.live()
    .where((query) => {
      void query
        .whereNull('checkedAt')
        .orWhere('checkedAt', '<', DateTime.utc().minus({ hours: CHECK_INTERVAL_HOURS }).toSQL()!)
    })
    .orderByRaw('checked_at nulls first')
    .limit(DOMAIN_BATCH_SIZE)
  for (const domain of due) {
    if (signal.aborted) return
    try {
      await refreshMailDomainStatus(domain, { actor: null })
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      // Only after a 503, for example if the mail service does not respond, the check is repeated
      // within minutes. Otherwise, for example if another account has the domain, the next daily
      // check is soon enough.
      if (error.status !== 503) await domain.merge({ checkedAt: DateTime.utc() }).save()
      logger.info({ err: error, domain: domain.domain }, 'a mail domain could not be checked')
    }
  }
}

export default defineSchedule({
  name: 'mail.check_domains',
  label: 'Checks the DNS records of mail domains once a day',
  every: 300,
  run: refreshDueMailDomains,
})
