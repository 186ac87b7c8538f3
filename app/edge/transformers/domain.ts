import type { DomainView } from '#instances/views/public'
import { edgeTarget } from '#edge/here'
import type Domain from '#edge/models/domain'
import { proofRecord, proofToken } from '#edge/proof'
import type { DateTime } from 'luxon'
import { isIPv6 } from 'node:net'

/** Domains with the records that their owner sets. */
export async function domainViews(domains: Domain[]): Promise<DomainView[]> {
  if (domains.length === 0) return []
  const target = await edgeTarget()
  return domains.map((domain) => ({
    subdomain: domain.subdomain,
    status: domain.status,
    status_reason: domain.statusReason,
    step: domain.step,
    details: domain.details,
    seen: domain.seen,
    proven: domain.provenAt !== null,
    address_record: target
      ? { type: isIPv6(target) ? 'AAAA' : 'A', name: domain.subdomain, value: target }
      : null,
    proof_record: {
      type: 'TXT',
      name: proofRecord(domain.subdomain),
      value: proofToken(domain.accountId),
    },
    certificate_until: iso(domain.certificateUntil),
    checked_at: iso(domain.checkedAt),
    check_at: iso(domain.checkAt),
  }))
}

const iso = (time: DateTime | null) => time?.toISO() ?? null
