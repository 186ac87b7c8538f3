import { listLocalEdgeAddresses } from '#edge/edge_addresses'
import { serveDomains } from '#edge/serve_domains'
import { edgeSettings } from '#edge/settings'
import { Domain } from '#edge/public'
import { loadTrustedRoots } from '#packages/edge/main'
import { type DnsRecords, setDnsRecords } from '#tests/support/dns_server'
import { eventually } from '#tests/support/eventually'
import { get } from 'node:http'
import { isIPv4 } from 'node:net'
import { Agent, request } from 'undici'

/** Sets A records of names in the tests' DNS server, which point to this host. */
export async function pointDnsToThisHost(...names: string[]): Promise<DnsRecords> {
  const records = { A: [[...(await listLocalEdgeAddresses())].find((one) => isIPv4(one))!] }
  for (const name of names) setDnsRecords(name, records)
  return records
}

/**
 * Fetches a page of a domain from this machine's Caddy over TLS. Verifies the certificate.
 * @throws while Caddy has no certificate for the domain
 */
export async function fetchSite(
  domain: string,
  path = '/'
): Promise<{ status: number; text: string }> {
  const dispatcher = await edgeDispatcher(domain)
  try {
    const url = `https://${domain}:${edgeSettings()!.httpsPort}${path}`
    const answer = await request(url, { dispatcher })
    return { status: answer.statusCode, text: await answer.body.text() }
  } finally {
    await dispatcher.close()
  }
}

/** Fetches by HTTP without following redirects. */
export function fetchSiteOverHttp(
  domain: string,
  path = '/'
): Promise<{ status: number; text: string; location?: string }> {
  const { httpPort: port } = edgeSettings()!
  const asked = { host: '127.0.0.1', port, path, headers: { host: domain }, agent: false }
  return new Promise((resolve, reject) => {
    get(asked, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        const { statusCode, headers } = response
        resolve({ status: statusCode!, text, location: headers.location })
      })
    }).on('error', reject)
  })
}

/**
 * Returns a dispatcher for `fetch` that sends requests for a domain to this machine's Caddy and trusts its certificate
 * authority.
 * @param address an address of this machine. The edge sees it as the visitor's address too
 */
export async function edgeDispatcher(domain: string, address = '127.0.0.1'): Promise<Agent> {
  return new Agent({
    connect: {
      ca: await loadTrustedRoots(edgeSettings()!),
      servername: domain,
      lookup: (_name, _options, done) => done(null, [{ address, family: 4 }]),
    },
  })
}

/**
 * Updates the edge, as the worker does every three seconds. Retries, because Caddy may still be applying the last
 * configuration.
 * @param domain a domain to check immediately, even if its next check is due later
 */
export async function updateEdge(domain?: string): Promise<void> {
  if (domain) await Domain.query().where('subdomain', domain).update({ checkAt: new Date() })
  await eventually(() => serveDomains())
}

export async function fetchSiteOnceServed(domain: string, path = '/') {
  await pointDnsToThisHost(domain)
  // A worker may have checked the domain before its DNS record was set. Its next check may be minutes later.
  await updateEdge(domain)
  return eventually(() => fetchSite(domain, path))
}
