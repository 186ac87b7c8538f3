import { publish } from '#core/live/live_events'
import {
  edgeHeaderPrefix,
  findPublicEdgeAddress,
  listLocalEdgeAddresses,
} from '#edge/edge_addresses'
import Domain from '#edge/models/domain'
import { type DomainRow, forEachDomainToServe, listNeededPorts } from '#edge/domains_to_serve'
import {
  type DomainOwnershipState,
  configuredDnsServers,
  proofRecordName,
  updateDomainOwnership,
} from '#edge/domain_ownership'
import { recordProxyLoops } from '#edge/proxy_loops'
import { syncRemotePorts, hostAcceptsPortRequests } from '#edge/remote_ports'
import { beginServedStateUpdate, resetServedState, cachedServedState } from '#edge/served_state'
import { edgeSettings } from '#edge/settings'
import {
  nextDomainState,
  type DomainCheckResult,
  evaluateDomainObservations,
  describeAddresses,
} from '#edge/domain_check_result'
import { listLocalHosts } from '#hosts/public'
import { ServerInstance } from '#instances/public'
import { edgeHeaders } from '#packages/apache/main'
import {
  readEdgeCertificateDates,
  caddyConfigChunks,
  CaddyAdminClient,
  CaddyAdminError,
  type EdgeSettings,
  isValidEdgeSite,
  readLastTlsErrors,
  lookUpAddressesAndTxt,
  type DnsNameLookupResult,
  probeSite,
  type Site,
} from '#packages/edge/main'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'
import { createHash, type Hash } from 'node:crypto'

const DOMAIN_BATCH_SIZE = 50

interface CheckedDomain {
  domain: Domain
  dns: DnsNameLookupResult
  holding: DomainOwnershipState
}

interface ServeResult {
  ids: Set<string>
  /** Caddy's error message, if Caddy rejected the configuration. */
  edgeError: string | null
  reachable: boolean
}

/**
 * Configures the local Caddy to serve the domains, and checks domains whose next check is due.
 * @throws CaddyAdminError if Caddy rejects the configuration
 */
export async function serveDomains(): Promise<void> {
  const settings = edgeSettings()
  if (!settings) return
  const edgeAddresses = await listLocalEdgeAddresses()
  const looked = await checkDueDomains(edgeAddresses)
  const due = looked.filter(({ domain }) => domain.status !== 'active')
  const served = await serveDueDomains(
    settings,
    new Set(due.map(({ domain }) => String(domain.id)))
  )
  if (looked.length) await saveDomainStatuses(looked, served, edgeAddresses, settings)
  await recordProxyLoops(settings)
  if (served.edgeError) throw new CaddyAdminError('refused', served.edgeError)
}

async function checkDueDomains(edgeAddresses: Set<string>): Promise<CheckedDomain[]> {
  const due = await Domain.query()
    .where('checkAt', '<=', new Date())
    .whereIn(
      'serverInstanceId',
      ServerInstance.query()
        .where('status', 'active')
        .whereIn('hostInstanceId', listLocalHosts().select('id'))
        .select('id')
    )
    .orderBy('checkAt')
    .limit(DOMAIN_BATCH_SIZE)
  const servers = configuredDnsServers()
  const observations = await Promise.all(
    due.map(({ subdomain }) =>
      lookUpAddressesAndTxt(subdomain, proofRecordName(subdomain), servers)
    )
  )
  const looked: CheckedDomain[] = []
  for (const [index, domain] of due.entries()) {
    const dns = observations[index]
    const pointsToEdge = dns.addresses.some((address) => edgeAddresses.has(address))
    const wasProven = domain.provenAt !== null
    const holding = await updateDomainOwnership(domain, { texts: dns.texts, pointsToEdge })
    await domain.refresh().catch(() => {})
    const changed = await chooseCertificate(domain, holding, pointsToEdge, dns.silent)
    // Makes this run configure Caddy again: the changed domain must be served before its status is
    // published.
    if (changed || wasProven !== (domain.provenAt !== null)) resetServedState()
    looked.push({ domain, dns, holding })
  }
  return looked
}

/**
 * Decides whether the domain needs a certificate, and saves that. Requests one only if it can be
 * issued, because certificate authorities have rate limits.
 * @returns whether the domain row changed
 */
async function chooseCertificate(
  domain: Domain,
  holding: DomainOwnershipState,
  pointsToEdge: boolean,
  silent: boolean
): Promise<boolean> {
  const can = holding === 'held' && (pointsToEdge || domain.provenBy === 'txt')
  if (can && !domain.wantsCertificate) {
    domain.merge({ wantsCertificate: true, certificateAskedAt: DateTime.utc() })
  } else if (!can && !silent && domain.status !== 'active') {
    domain.merge({ wantsCertificate: false })
  }
  const changes = domain.$isDirty
  if (changes) await domain.save()
  return changes
}

/**
 * Reads all domains again only if the cached state is outdated, if Caddy was restarted, or if a
 * domain in `due` is unsettled.
 * @param due ids of domains that do not work yet; their ports on other hosts are checked again
 */
async function serveDueDomains(settings: EdgeSettings, due: Set<string>): Promise<ServeResult> {
  const serving = await cachedServedState()
  if (serving && !due.values().some((id) => serving.unsettled.has(id))) {
    const edge = new CaddyAdminClient(settings.admin)
    try {
      if (await edge.serves(serving.version)) {
        return { ids: serving.ids, edgeError: null, reachable: true }
      }
    } catch (error) {
      if (!(error instanceof CaddyAdminError)) throw error
    } finally {
      await edge.close()
    }
  }
  return serveAll(settings, due)
}

async function serveAll(settings: EdgeSettings, due: Set<string>): Promise<ServeResult> {
  const serves = beginServedStateUpdate()
  const portOf = await syncRemotePorts(await listNeededPorts(due))
  const sites: Site[] = []
  const ids = new Set<string>()
  const unsettled = new Set<string>()
  const hash = hashFor(settings)
  let isWhole = true
  await forEachDomainToServe((row) => {
    const id = String(row.id)
    if (!row.is_local && row.status !== 'active') unsettled.add(id)
    const upstream = upstreamFor(row, portOf)
    if (!upstream) {
      // The state is incomplete only if the host accepts port requests. The next run then asks the host
      // again.
      isWhole &&= !hostAcceptsPortRequests(row)
      return
    }
    const { tls_port: tlsPort } = row
    const tlsUpstream = tlsPort ? upstreamFor({ ...row, inner_port: tlsPort }, portOf) : undefined
    // Until the host forwards the TLS port, the edge reaches the site only by plain HTTP.
    if (tlsPort && !tlsUpstream) isWhole &&= !hostAcceptsPortRequests(row)
    const { keeps_http: keepsHttp, target: redirectTo } = row
    const site = {
      domain: row.subdomain,
      upstream,
      ...(tlsUpstream && { tlsUpstream }),
      ...(keepsHttp && { keepsHttp }),
      ...(redirectTo && { redirectTo }),
    }
    if (!isValidEdgeSite(site))
      return logger.warn({ site }, 'this site is not valid, so it is not served')
    const tls = row.status === 'active' ? 'works' : row.wants_certificate ? 'wanted' : 'none'
    ids.add(id)
    const secretHeaders = edgeHeaders(edgeHeaderPrefix(row.server_instance_id))
    sites.push({ ...site, tls, secretHeaders })
    // Part of the hash, because Caddy requests a certificate again only when it loads a changed
    // configuration.
    const certificateRequest =
      row.status === 'active' ? '' : `${id} ${row.certificate_asked_at?.toISOString()}`
    hash.update(
      `${row.subdomain} ${upstream} ${tlsUpstream} ${tls} ${keepsHttp} ${redirectTo} ${certificateRequest} ${secretHeaders.schemeHeader}\n`
    )
  })
  const version = hash.digest('hex')
  const edge = new CaddyAdminClient(settings.admin)
  try {
    if (!(await edge.serves(version))) await edge.serve(sites, settings, version)
    if (isWhole) serves({ version, ids, unsettled })
    return { ids, edgeError: null, reachable: true }
  } catch (error) {
    if (!(error instanceof CaddyAdminError)) throw error
    resetServedState()
    // If Caddy does not run, this is no new error: the command that starts Caddy has already reported
    // the cause.
    const reachable = error.kind === 'refused'
    return { ids: new Set(), edgeError: reachable ? error.message : null, reachable }
  } finally {
    await edge.close()
  }
}

/**
 * Sample sites of every kind. Their Caddy configuration is part of the hash, which therefore
 * changes if a release changes the configuration's format.
 */
const SAMPLE_DOMAINS: Site[] = (['none', 'wanted', 'works'] as const).flatMap((tls) => {
  const site = {
    domain: 'shape.invalid',
    upstream: '192.0.2.1:80',
    tlsUpstream: '192.0.2.1:443',
    tls,
    secretHeaders: edgeHeaders('X-Berth'),
  }
  const kept = { ...site, keepsHttp: true }
  const redirectTo = 'target.invalid'
  return [site, kept, { ...site, redirectTo }, { ...kept, redirectTo }]
})

/**
 * Starts a hash of the configuration with the settings that all sites share. The caller adds each
 * site.
 */
function hashFor(settings: EdgeSettings): Hash {
  const hash = createHash('sha256')
  for (const piece of caddyConfigChunks(SAMPLE_DOMAINS, settings, '')) hash.update(piece)
  return hash
}

function upstreamFor(
  row: DomainRow,
  portOf: (row: DomainRow) => number | undefined
): string | undefined {
  if (row.is_local) return `${row.private_ip}:${row.inner_port}`
  const port = portOf(row)
  return port === undefined ? undefined : `${row.host_ip}:${port}`
}

async function saveDomainStatuses(
  looked: CheckedDomain[],
  served: ServeResult,
  edgeAddresses: Set<string>,
  settings: EdgeSettings
): Promise<void> {
  const errors = await readLastTlsErrors(settings.tlsLog)
  const names = looked.map(({ domain }) => domain.subdomain)
  const certificates = await readEdgeCertificateDates(names, settings)
  const target = await findPublicEdgeAddress()
  await Promise.all(
    looked.map(async ({ domain, dns, holding }) => {
      const { id, subdomain: name, wantsCertificate, provenBy } = domain
      // Keeps the status of a working domain while Caddy or the port on its host is not available.
      if (!served.ids.has(String(id)) && domain.status === 'active')
        return scheduleNextCheck(domain)
      const isServed = served.ids.has(String(id)) && wantsCertificate
      const certificate = certificates.get(name)
      const error = errors.get(name)
      const isOver = error && certificate && certificate.writtenAt > error.at
      const isOld =
        error && domain.certificateAskedAt && error.at < domain.certificateAskedAt.toJSDate()
      const result = evaluateDomainObservations({
        name,
        dns,
        target,
        edgeAddresses,
        holding,
        provenByText: provenBy === 'txt',
        probe: isServed ? await probeSite(name, settings) : null,
        edgeError: served.edgeError,
        tlsError: isOver || isOld ? null : (error?.message ?? null),
      })
      await saveDomainState(domain, dns, result)
    })
  )
}

function scheduleNextCheck(domain: Domain): Promise<void> {
  return saveDomain(domain, { checkAt: DateTime.utc().plus({ seconds: 30 }) })
}

async function saveDomainState(
  domain: Domain,
  dns: DnsNameLookupResult,
  result: DomainCheckResult
): Promise<void> {
  const now = DateTime.utc()
  const { status, attempts, wait, isReported } = nextDomainState(
    {
      status: domain.status,
      attempts: domain.attempts,
      wasServed: domain.servedAt !== null || domain.status === 'active',
    },
    result
  )
  const checkAt = now.plus({ seconds: wait })
  if (!isReported) return saveDomain(domain, { attempts, checkAt, checkedAt: now })
  await saveDomain(domain, {
    status,
    attempts,
    checkAt,
    checkedAt: now,
    step: result.ok ? null : result.step,
    statusReason: result.message,
    details: result.details ?? null,
    seen: dns.addresses.length ? describeAddresses(dns) : null,
    certificateUntil: result.until ? DateTime.fromJSDate(result.until) : null,
    ...(result.ok && { servedAt: now }),
  })
}

/**
 * Saves values of a domain. Changes no row if the domain was deleted or lost its proof of ownership
 * meanwhile.
 */
async function saveDomain(domain: Domain, values: Partial<Domain>): Promise<void> {
  const { status, statusReason } = domain
  const query = Domain.query().where('id', domain.id)
  if (domain.provenAt) query.whereNotNull('provenAt')
  await query.update(values)
  const hasStatus = 'status' in values
  if (hasStatus && (values.status !== status || values.statusReason !== statusReason)) {
    await publish(`server_instance:${domain.serverInstanceId}`, { owner: domain.accountId })
  }
}
