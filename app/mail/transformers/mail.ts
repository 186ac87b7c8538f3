import type { CustomerSummary } from '#core/contracts/customer_summary'
import { calculateMailPrice } from '#mail/price'
import type MailDomain from '#mail/models/mail_domain'
import type Sender from '#mail/models/sender'
import { isRecordRequired, listExpectedDnsRecords } from '#mail/dns_records'
import type {
  AdminSenderRow,
  DomainRow,
  SenderUsage,
  SenderRow,
  MailDomainPage,
  MailUsageHistory,
} from '#mail/transformers/page_props'
import type {
  DailyMailUsage,
  DomainInfo,
  SenderInfo,
} from '#packages/mail-service/control/contract'
import { DateTime } from 'luxon'

/** Shown in place of secrets. A separate request returns them. */
const SECRET_MASK = '••••••••'
const SECONDS_PER_DAY = 86_400
export const CHART_DAYS = 90

export function senderRow(sender: Sender): SenderRow {
  const { id, email, status, secretKey, createdAt } = sender
  return {
    id,
    email,
    status,
    secret_key: status === 'verified' && secretKey ? SECRET_MASK : null,
    sent_mail_count: byMonth(sender.sentMailCount),
    created_at: createdAt.toISO()!,
  }
}

export function adminSenderRow(
  sender: Sender,
  customer: CustomerSummary | undefined
): AdminSenderRow {
  return {
    ...senderRow(sender),
    status_reason: sender.statusReason,
    customer: customer ?? null,
  }
}

export function domainRow(domain: MailDomain): DomainRow {
  return {
    id: domain.id,
    domain: domain.domain,
    status: domain.status,
    checked_at: domain.checkedAt?.toISO() ?? null,
    failing_since: domain.failingSince?.toISO() ?? null,
    created_at: domain.createdAt.toISO()!,
  }
}

/** Sorts the months, newest first. Adds the current month if it is missing. */
function byMonth(counts: Record<string, number>): Record<string, number> {
  const all = { [DateTime.utc().toFormat('yyyy-MM')]: 0, ...counts }
  return Object.fromEntries(Object.entries(all).sort(([one], [other]) => (one < other ? 1 : -1)))
}

export function senderUsage(info: SenderInfo): SenderUsage {
  return {
    hourly_limit: info.hourlyLimit,
    track_opens: info.trackOpens,
    waiting: info.waiting,
    scheduled: info.scheduled,
    paused: info.state === 'paused',
    month: { ...info.month, cost: calculateMailPrice(info.month.accepted) },
  }
}

export function dnsRecordViews(info: DomainInfo, domain: MailDomain): MailDomainPage['records'] {
  return listExpectedDnsRecords(info).map((record) => {
    const known = domain.findings.find(
      ({ name, type, value }) =>
        name === record.name && type === record.type && value === record.value
    )
    const needed = isRecordRequired(record, info)
    if (known) return { ...known, needed }
    return { ...record, needed, state: 'new', found: [], advice: null }
  })
}

/** Returns a number for each of the `CHART_DAYS` days up to `last`. Days without emails have 0. */
export function mailUsageHistory(days: DailyMailUsage[], last: DateTime): MailUsageHistory {
  const first = last.startOf('day').minus({ days: CHART_DAYS - 1 })
  const byDay = new Map(days.map((day) => [day.day, day]))
  const all = Array.from({ length: CHART_DAYS }, (_day, index) =>
    byDay.get(first.plus({ days: index }).toISODate()!)
  )
  const series = (name: keyof MailUsageHistory['series']) => all.map((day) => day?.[name] ?? 0)
  return {
    range: '90d',
    from: first.toSeconds(),
    point: SECONDS_PER_DAY,
    count: CHART_DAYS,
    series: {
      accepted: series('accepted'),
      delivered: series('delivered'),
      bounced: series('bounced'),
      complained: series('complained'),
      opened: series('opened'),
    },
  }
}
