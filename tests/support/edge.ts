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

/** Points names at this machine in the tests' DNS, as their owner does. */
export async function pointDnsToThisHost(...names: string[]): Promise<DnsRecords> {
  const records = { A: [[...(await listLocalEdgeAddresses())].find((one) => isIPv4(one))!] }
  for (const name of names) setDnsRecords(name, records)
  return records
}

/**
 * Asks the Caddy of this machine for a page as a visitor of that name does: over TLS, its
 * certificate checked against the roots of its authority. Throws while there is no certificate yet.
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

/** The same over HTTP, without following where it leads. */
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
 * Leads requests for a name to the Caddy of this machine, whose issuer it trusts.
 * @param address an address of this machine; the edge also sees it as the visitor's address
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
 * What the worker does every three seconds; Caddy may still be busy with the last configuration.
 * @param domain is looked at now, whenever its own time is
 */
export async function updateEdge(domain?: string): Promise<void> {
  if (domain) await Domain.query().where('subdomain', domain).update({ checkAt: new Date() })
  await eventually(() => serveDomains())
}

/** As `fetchSite`, once the edge knows of the name and its certificate is made. */
export async function fetchSiteOnceServed(domain: string, path = '/') {
  await pointDnsToThisHost(domain)
  // A worker may have looked before it led here, and would do so again only in a minute.
  await updateEdge(domain)
  return eventually(() => fetchSite(domain, path))
}
