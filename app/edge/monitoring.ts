import { countWithNoun } from '#packages/text/count_with_noun'
import { displayTimeZone } from '#core/settings/regional_settings'
import type { AlertRule } from '#core/monitoring/alerts'
import type { Gauge } from '#core/monitoring/gauges'
import type { HealthIndicator } from '#core/monitoring/health'
import { queryGaugeReadings } from '#core/monitoring/builtin_alerts_and_gauges'
import Domain from '#edge/models/domain'
import env from '#start/env'
import { DateTime } from 'luxon'

/**
 * Days before a certificate expires. The edge renews 90-day certificates after two thirds of that
 * time. At this warning, renewal has failed for about two weeks.
 */
const WARNING_DAYS = 14
const CRITICAL_DAYS = 3
/** Maximum number of domains that get an alert each. */
const MAX_DOMAINS_LISTED = 50

function ending(before: DateTime) {
  return Domain.query()
    .where('status', 'active')
    .where('certificateUntil', '<', before.toSQL()!)
    .orderBy('certificateUntil')
}

const certificate: AlertRule = {
  name: 'edge.certificate',
  label: 'Certificate expires soon',
  runbook: 'certificate',
  async findProblems() {
    const now = DateTime.utc()
    const domains = await ending(now.plus({ days: WARNING_DAYS })).limit(MAX_DOMAINS_LISTED)
    return domains.map(({ id, subdomain, certificateUntil: until, serverInstanceId }) => {
      const days = Math.floor(until!.diff(now, 'days').days)
      const end = until!.setZone(displayTimeZone()).toFormat('d LLL yyyy')
      const when =
        days < 0 ? `expired on ${end}` : `expires on ${end} (in ${countWithNoun(days, 'day')})`
      return {
        key: String(id),
        severity: days < CRITICAL_DAYS ? ('critical' as const) : ('warning' as const),
        words: `The certificate of ${subdomain} ${when} and was not renewed.`,
        href: `/admin/server-instance/${serverInstanceId}` as const,
      }
    })
  },
}

export const alerts = [certificate]

export const gauges: Gauge[] = [
  {
    name: 'berth_domains',
    help: 'Domains by status',
    read: () =>
      queryGaugeReadings('select status, count(*)::int as value from domains group by status'),
  },
  {
    name: 'berth_certificate_first_end_timestamp_seconds',
    help: 'Earliest expiry of the certificates in use',
    read: () =>
      queryGaugeReadings(
        `select extract(epoch from min(certificate_until))::float8 as value from domains
         where status = 'active' having min(certificate_until) is not null`
      ),
  },
]

export async function health(): Promise<HealthIndicator[]> {
  const now = DateTime.utc()
  const [first, total] = await Promise.all([
    ending(now.plus({ years: 100 })).first(),
    Domain.query().where('status', 'active').whereNotNull('certificateUntil').count('* as total'),
  ])
  const count = Number(total[0].$extras.total)
  const version = env.get('EDGE_VERSION')
  const isOutdated = env.get('EDGE_OUTDATED') === 'yes'
  const caddy: HealthIndicator[] = version
    ? [
        {
          label: 'Web proxy',
          value: `Caddy ${version}${isOutdated ? ', outdated: run ./berth edge build' : ''}`,
          tone: isOutdated ? 'wait' : 'good',
        },
      ]
    : []
  if (!first?.certificateUntil) {
    return [...caddy, { label: 'Certificates', value: 'No certificates yet', tone: 'calm' }]
  }
  const days = Math.floor(first.certificateUntil.diff(now, 'days').days)
  return [
    ...caddy,
    {
      label: 'Certificates',
      value: `${count}, the first expires in ${countWithNoun(days, 'day')}`,
      tone: days < CRITICAL_DAYS ? 'loss' : days < WARNING_DAYS ? 'wait' : 'good',
    },
  ]
}
