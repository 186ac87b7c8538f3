import { findBillingProgress } from '#billing/queries/unbilled_periods'
import type { AlertRule, DetectedProblem } from '#core/monitoring/alerts'
import type { Gauge } from '#core/monitoring/gauges'
import { queryGaugeReadings } from '#core/monitoring/builtin_alerts_and_gauges'
import { hasDollarRate } from '#core/settings/dollar_rate'
import { DateTime } from 'luxon'

const MAX_RUN_AGE_HOURS = 24
const MAX_UNBILLED_DAYS = 7

const rateAlert: AlertRule = {
  name: 'billing.rate',
  label: 'No dollar rate',
  runbook: 'unbilled',
  async findProblems() {
    if (await hasDollarRate()) return []
    return [
      {
        key: 'rate',
        severity: 'critical',
        words:
          'No dollar rate is set for today, so prices are not shown, and nothing can be ordered or billed.',
        href: '/admin/billing/settings',
      },
    ]
  },
}

/** Reports runs that do not complete, and periods that wait to be billed. A period can wait without a time limit. */
const unbilledAlert: AlertRule = {
  name: 'billing.unbilled',
  label: 'Periods not billed',
  runbook: 'unbilled',
  async findProblems() {
    const progress = await findBillingProgress()
    if (!progress) return []
    const problems: DetectedProblem[] = []
    const at = DateTime.fromISO(progress.at)
    if (at < DateTime.utc().minus({ hours: MAX_RUN_AGE_HOURS })) {
      problems.push({
        key: 'run',
        severity: 'critical',
        words: `The last complete billing run was on ${at.toUTC().toFormat('LLL d, yyyy, HH:mm')} UTC. Nothing since then has been billed.`,
        href: '/admin/billing/run',
      })
    }
    const latest = DateTime.utc().minus({ days: MAX_UNBILLED_DAYS }).toISODate()
    for (const { accountId, account, name, day } of progress.unbilled) {
      if (day > latest) continue
      problems.push({
        key: `${accountId}:${name}:${day}`,
        severity: 'warning',
        words: `${account} is not billed for ${name} from ${day}, because the service was not delivered.`,
        href: `/admin/customer/${accountId}`,
      })
    }
    return problems
  },
}

export const alerts = [rateAlert, unbilledAlert]

export const gauges: Gauge[] = [
  {
    name: 'berth_bills',
    help: 'Bills, by family and status',
    // Reads precomputed counts, because there can be millions of bills.
    read: () =>
      queryGaugeReadings(
        `select scope as family, status, sum(n)::bigint as value from list_numbers
         where list = 'bills' and level = 15 group by scope, status`
      ),
  },
]
