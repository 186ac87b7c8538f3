import { jsonChunks } from './json_chunks.js'

/**
 * How far a site's HTTPS is. `none`: HTTP alone, no certificate is asked for; `wanted`: one is being
 * got, and HTTP is served meanwhile; `works`: HTTP leads to HTTPS.
 */
export type SiteTls = 'none' | 'wanted' | 'works'

/** A name that the edge answers for and where its requests go. */
export interface Site {
  /** Fully qualified, lower case. */
  domain: string
  /** `host:port` of the web server behind it. */
  upstream: string
  /** `host:port` at which it speaks TLS for HTTPS requests; its certificate is not verified. Default `upstream`. */
  tlsUpstream?: string
  tls: SiteTls
}

/**
 * Whether a site is a name and where it leads a host and port, nothing else. In both Caddy reads `{…}` as words of its
 * own, and in the latter `unix//…` as a socket of this machine, such as the one that takes its orders.
 */
export function isValidEdgeSite({
  domain,
  upstream,
  tlsUpstream = upstream,
}: Omit<Site, 'tls'>): boolean {
  const isPlain = (address: string) => /^[A-Za-z0-9.-]+:\d{1,5}$/.test(address)
  return /^[a-z0-9.-]+$/.test(domain) && isPlain(upstream) && isPlain(tlsUpstream)
}

export interface EdgeSettings {
  httpPort: number
  httpsPort: number
  /** The admin address, repeated because a configuration replaces all of the last. */
  admin: string
  /** Where certificates and keys are kept. */
  storage: string
  /** Errors about certificates go here, as JSON lines. */
  tlsLog: string
  /** `acme`: certificates that browsers trust. `internal`: signed by Caddy's own authority. */
  issuer: 'acme' | 'internal'
  /** Where the certificate authority writes to, for ACME. */
  email?: string
  /** The directory of another ACME authority than Let's Encrypt. */
  acmeUrl?: string
  /** A PEM file with the roots of that authority: those it signs with and those of its own address. */
  acmeRoots?: string
}

/** The header of what the edge answers itself because nothing answered behind it. */
export const EDGE_ERROR_HEADER = 'X-Edge-Error'

/**
 * The whole configuration of Caddy, as JSON in pieces: of 50,000 sites it is some 30 MB. Names are data
 * in it, so nothing can break out of them.
 * @param version a name for it that Caddy can be asked for
 */
export function caddyConfigChunks(
  sites: Site[],
  settings: EdgeSettings,
  version: string
): Generator<string> {
  return jsonChunks({ ...configOf(sites, settings), '@id': version })
}

function configOf(sites: Site[], settings: EdgeSettings): object {
  const { httpPort, httpsPort, admin, storage, tlsLog } = settings
  const subjects = sites.some(isSecure) && { subjects: secureNames(sites) }
  return {
    admin: caddyAdminConfig(admin),
    storage: { module: 'file_system', root: storage },
    logging: {
      logs: {
        default: { level: 'WARN' },
        tls: {
          include: ['tls'],
          level: 'ERROR',
          writer: { output: 'file', filename: tlsLog, roll_size_mb: 5, roll_keep: 1 },
        },
      },
    },
    apps: {
      http: {
        http_port: httpPort,
        https_port: httpsPort,
        servers: {
          berth: {
            listen: [`:${httpsPort}`],
            // HTTP has a server of its own, because not every name has HTTPS yet.
            automatic_https: { disable_redirects: true },
            routes: secureRoutes(sites),
            errors,
          },
          plain: {
            listen: [`:${httpPort}`],
            routes: plainRoutes(sites, httpsPort),
            errors,
          },
        },
      },
      tls: {
        automation: {
          policies: [{ issuers: [issuerOf(settings)], ...subjects }],
        },
      },
      pki: { certificate_authorities: { local: { install_trust: false } } },
    },
  }
}

/** The admin part of a configuration; also all that a Caddy needs to be started with. */
export function caddyAdminConfig(address: string): object {
  return { listen: address, ...(address.startsWith('unix/') && { origins: ['127.0.0.1'] }) }
}

function issuerOf({ issuer, email, acmeUrl, acmeRoots }: EdgeSettings): object {
  if (issuer === 'internal') return { module: 'internal' }
  return {
    module: 'acme',
    ...(email && { email }),
    ...(acmeUrl && { ca: acmeUrl }),
    ...(acmeRoots && { trusted_roots_pem_files: [acmeRoots] }),
  }
}

const isSecure = ({ tls }: Site) => tls !== 'none'

function* secureNames(sites: Site[]): Generator<string> {
  for (const site of sites) if (isSecure(site)) yield site.domain
}

function* secureRoutes(sites: Site[]): Generator<object> {
  for (const site of sites) if (isSecure(site)) yield route(site.domain, toTlsUpstream(site))
  yield nothing
}

function* plainRoutes(sites: Site[], httpsPort: number): Generator<object> {
  for (const site of sites)
    yield route(site.domain, site.tls === 'works' ? toHttps(httpsPort) : toUpstream(site))
  yield nothing
}

const route = (domain: string, handler: object) => ({
  match: [{ host: [domain] }],
  handle: [handler],
  terminal: true,
})

const toUpstream = ({ upstream }: Site) => ({
  handler: 'reverse_proxy',
  upstreams: [{ dial: upstream }],
})

/** Passes a request on by TLS. Caddy 2.11 would send the upstream's address as its host. */
const toTlsUpstream = (site: Site) =>
  site.tlsUpstream
    ? {
        handler: 'reverse_proxy',
        upstreams: [{ dial: site.tlsUpstream }],
        headers: { request: { set: { Host: ['{http.request.hostport}'] } } },
        transport: {
          protocol: 'http',
          // Websockets need it.
          versions: ['1.1'],
          tls: { insecure_skip_verify: true, server_name: site.domain },
        },
      }
    : toUpstream(site)

const toHttps = (port: number) => ({
  handler: 'static_response',
  status_code: 308,
  headers: {
    Location: [`https://{http.request.host}${port === 443 ? '' : `:${port}`}{http.request.uri}`],
  },
})

const nothing = {
  handle: [
    { handler: 'static_response', status_code: 404, body: 'There is no site with this name.' },
  ],
}

/** What visitors see where nothing answers behind a name; an answer of the site itself is none of these. */
const errors = {
  routes: [
    {
      handle: [
        {
          handler: 'static_response',
          status_code: '{http.error.status_code}',
          headers: { [EDGE_ERROR_HEADER]: ['{http.error.status_code}'] },
          body: 'This site does not respond.',
        },
      ],
    },
  ],
}
