import { localMachineId } from '#core/local_host'
import { findPublicEdgeAddresses } from '#edge/edge_addresses'
import type Domain from '#edge/models/domain'
import { proofRecordName, proofToken } from '#edge/domain_ownership'
import { type DomainView, ServerInstance } from '#instances/public'
import { DateTime } from 'luxon'
import { isIPv6 } from 'node:net'

export async function domainViews(domains: Domain[]): Promise<DomainView[]> {
  if (domains.length === 0) return []
  const targetOf = await targetsOf(domains)
  return domains.map((domain) => viewOf(domain, targetOf(domain)))
}

function viewOf(domain: Domain, target: string | null): DomainView {
  return {
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
      name: proofRecordName(domain.subdomain),
      value: proofToken(domain.accountId),
    },
    certificate_until: iso(domain.certificateUntil),
    checked_at: iso(domain.checkedAt),
    check_at: iso(domain.checkAt),
    proxy_loop_at: iso(recentProxyLoop(domain)),
  }
}

const PROXY_LOOP_NOTICE_HOURS = 24

/**
 * Returns the time of a recent proxy loop. Returns null if the owner turned off the redirect to
 * HTTPS, because there is then no loop.
 */
function recentProxyLoop({ proxyLoopAt: at, keepsHttp }: Domain): DateTime | null {
  const isRecent = at && at > DateTime.utc().minus({ hours: PROXY_LOOP_NOTICE_HOURS })
  return isRecent && !keepsHttp ? at : null
}

/**
 * Returns a function that returns the address to which a domain must point. It belongs to the edge
 * on the machine that manages the domain's instance.
 */
async function targetsOf(domains: Domain[]): Promise<(domain: Domain) => string | null> {
  const instances = await ServerInstance.query()
    .whereIn('id', [...new Set(domains.map(({ serverInstanceId }) => serverInstanceId))])
    .preload('host', (query) => query.select('id', 'machineId'))
    .select('id', 'hostInstanceId')
  const machines = new Map(
    instances.map(({ id, host }) => [id, host?.machineId ?? localMachineId()])
  )
  const targets = await findPublicEdgeAddresses([...new Set(machines.values())])
  return ({ serverInstanceId }) => targets.get(machines.get(serverInstanceId)!) ?? null
}

const iso = (time: DateTime | null) => time?.toISO() ?? null
