import type { DomainStatus, DomainStep } from '#edge/models/domain'
import type { DomainOwnershipState } from '#edge/domain_ownership'
import type { DnsNameLookupResult, SiteProbeResult } from '#packages/edge/main'

export interface DomainObservations {
  name: string
  dns: Pick<DnsNameLookupResult, 'addresses' | 'alias' | 'silent'>
  /** Public address of the edge, to which the domain must point. Null if it is unknown. */
  target: string | null
  edgeAddresses: Set<string>
  holding: DomainOwnershipState
  provenByText: boolean
  /**
   * Result of a request to the site through the edge. Null: no request, because the edge does not
   * serve the domain or requests no certificate for it.
   */
  probe: SiteProbeResult | null
  edgeError: string | null
  /**
   * Last error of the certificate request. Null if there is none, or if a certificate was issued or
   * requested again later.
   */
  tlsError: string | null
}

export type DomainCheckResult =
  | { ok: true; message: string | null; details: string | null; until: Date }
  | {
      ok: false
      step: DomainStep
      message: string
      details?: string
      /** True: the status becomes `failed` instead of `pending`. */
      refused?: boolean
      until?: Date
    }

export function evaluateDomainObservations(observations: DomainObservations): DomainCheckResult {
  const { name, dns, holding, edgeAddresses, probe, tlsError } = observations
  const no = (step: DomainStep, message: string, more = {}): DomainCheckResult => ({
    ok: false,
    step,
    message,
    ...more,
  })
  if (holding === 'reserved') {
    return no(
      'dns',
      `${name} belongs to the hosting platform, so it cannot point to an instance.`,
      { refused: true }
    )
  }
  if (holding === 'taken') {
    return no(
      'dns',
      `Another account uses ${name}. If the domain is yours, set the TXT record below.`
    )
  }
  if (holding === 'contested') {
    return no(
      'dns',
      `Other accounts also added ${name}. Set the TXT record below to prove that it is yours.`
    )
  }
  const pointsToEdge = dns.addresses.some((address) => edgeAddresses.has(address))
  const otherAddresses = dns.addresses.filter((address) => !edgeAddresses.has(address))
  const misled = !pointsToEdge && !dns.silent
  if (holding === 'open' || (misled && !observations.provenByText))
    return no('dns', wrongDns(observations))

  if (probe?.kind === 'answered') {
    const renewal = tlsError && 'The certificate is still valid, but its renewal fails.'
    // The site works although DNS points elsewhere. The customer may have put a proxy in front of the
    // edge.
    const away =
      misled &&
      `DNS points to ${describeAddresses(dns)}. This works if a proxy at that address forwards requests by HTTPS (Cloudflare: mode Full). If it forwards them by HTTP, visitors get error 508.`
    const stray = !misled && otherAddresses.length > 0 && strayDns(name, otherAddresses)
    const messages = [renewal, away, stray].filter(Boolean)
    return {
      ok: true,
      message: messages.join(' ') || null,
      details: tlsError,
      until: probe.until,
    }
  }
  if (misled) return no('dns', wrongDns(observations))
  if (observations.edgeError) {
    return no('answer', 'The web proxy rejected its configuration. Ask support.', {
      details: observations.edgeError,
      refused: true,
    })
  }
  if (!probe || probe.kind === 'no_edge') {
    return no('answer', 'The web proxy cannot reach the instance right now.', {
      details: probe?.message,
    })
  }
  if (probe.kind === 'no_answer') {
    const message = 'The certificate is ready, but the web server of the instance does not respond.'
    return no('answer', message, { details: probe.message, until: probe.until })
  }
  if (tlsError) {
    const cause = tlsErrorCause(tlsError, otherAddresses)
    return no('certificate', `No certificate yet: ${cause}`, { details: tlsError, refused: true })
  }
  return no('certificate', 'The certificate is being issued. This takes a minute or two.', {
    details: probe.message,
  })
}

function wrongDns({ name, dns, target }: DomainObservations): string {
  if (!target) {
    return 'The console does not know its public IP address. Ask support to set it (PUBLIC_IP).'
  }
  if (dns.addresses.length)
    return `${name} points to ${describeAddresses(dns)} instead of ${target}.`
  if (dns.silent) return `The name servers of ${name} do not respond.`
  if (dns.alias) return `${name} is an alias of ${dns.alias}, which has no address.`
  return `${name} has no address in DNS.`
}

/**
 * Returns a warning about DNS records that point elsewhere. Browsers may use any address of a
 * domain, and most prefer IPv6, so one wrong record breaks the site for some visitors.
 */
function strayDns(name: string, otherAddresses: string[]): string {
  const records = otherAddresses
    .map((address) => `${address.includes(':') ? 'AAAA' : 'A'} ${address}`)
    .join(', ')
  return `${name} also points to other servers (${records}), so some visitors do not reach this site. Remove these DNS records.`
}

/** Formats the addresses: `198.51.100.7 (as an alias of host.example.com)` */
export function describeAddresses({
  addresses,
  alias,
}: Pick<DnsNameLookupResult, 'addresses' | 'alias'>): string {
  return `${addresses.join(', ')}${alias ? ` (as an alias of ${alias})` : ''}`
}

function tlsErrorCause(error: string, otherAddresses: string[]): string {
  if (otherAddresses.length) {
    return `the domain also points to ${otherAddresses.join(', ')}. Remove that DNS record.`
  }
  if (/provisioning client|dial tcp|no such host/i.test(error)) {
    return 'the certificate authority cannot be reached. We retry automatically.'
  }
  if (/rateLimited|too many/i.test(error)) {
    return 'the certificate authority limits requests for this name. We retry automatically.'
  }
  if (/\bCAA\b/.test(error)) {
    return 'a CAA record of the domain does not allow our certificate authority.'
  }
  if (/rejectedIdentifier|policy forbids|blocked/i.test(error)) {
    return 'the certificate authority does not issue certificates for this name.'
  }
  if (/NXDOMAIN|no valid A records|SERVFAIL|DNS problem|looking up/i.test(error)) {
    return 'the certificate authority does not see the DNS record of the domain yet.'
  }
  if (/timeout|refused|unreachable|connect/i.test(error)) {
    return 'the certificate authority could not reach the domain on port 80.'
  }
  return 'the certificate authority did not issue a certificate.'
}

/** Number of consecutive failures after which an active domain gets the status `failed`. */
const MAX_FAILED_CHECKS = 3
const ACTIVE_RECHECK_SECONDS = 30 * 60
const FAILING_RECHECK_SECONDS = 30
const MAX_RECHECK_SECONDS = 15 * 60

/**
 * Returns the wait before the next check, which grows with each attempt: 3, 5, 7, 10 … 900 seconds.
 */
export function secondsUntilNextCheck(attempts: number): number {
  return Math.min(MAX_RECHECK_SECONDS, Math.round(2 * 1.5 ** Math.min(attempts, 20)))
}

export interface DomainState {
  status: DomainStatus
  attempts: number
  wait: number
  /**
   * True: the new status and its message are saved. False: only `attempts` and the times of this and
   * the next check are saved.
   */
  isReported: boolean
}

/**
 * Returns the domain's new state. An active domain stays active until `MAX_FAILED_CHECKS` checks in
 * a row have failed. After other failed checks, the domain is `failed` if it was rejected or has
 * worked before, otherwise `pending`.
 */
export function nextDomainState(
  before: { status: DomainStatus; attempts: number; wasServed: boolean },
  result: DomainCheckResult
): DomainState {
  if (result.ok)
    return { status: 'active', attempts: 0, wait: ACTIVE_RECHECK_SECONDS, isReported: true }
  const attempts = before.attempts + 1
  if (before.status === 'active' && attempts < MAX_FAILED_CHECKS) {
    return { status: 'active', attempts, wait: FAILING_RECHECK_SECONDS, isReported: false }
  }
  const status = result.refused || before.wasServed ? 'failed' : 'pending'
  return { status, attempts, wait: secondsUntilNextCheck(attempts), isReported: true }
}
