import { jsonChunks } from './json_chunks.js'

/**
 * State of a site's HTTPS. `none`: the site uses only HTTP. `wanted`: Caddy requests a certificate, and still serves
 * HTTP without a redirect. `works`: HTTP redirects to HTTPS unless `keepsHttp` is set.
 */
export type SiteTls = 'none' | 'wanted' | 'works'

export interface Site {
  /** Full domain name in lower case. */
  domain: string
  upstream: string
  /**
   * Upstream `host:port` for HTTPS requests. Caddy connects by TLS and does not verify the certificate. Default:
   * `upstream`, without TLS.
   */
  tlsUpstream?: string
  tls: SiteTls
  keepsHttp?: boolean
  /**
   * Domain of another site whose `tls` is `works`. Caddy redirects all requests of this site to it, with the same path.
   */
  redirectTo?: string
  /**
   * Headers that Caddy adds to each request. Only the edge and the instance's web server know the names of these
   * headers, so they prove that a request came from the edge.
   */
  secretHeaders?: { addressHeader: string; schemeHeader: string }
}

/**
 * Returns whether a site is safe in Caddy's configuration. Caddy expands `{…}` in host names and upstreams as
 * placeholders. An upstream `unix//…` is a local socket, which could be Caddy's own admin socket.
 */
export function isValidEdgeSite({
  domain,
  upstream,
  tlsUpstream = upstream,
  redirectTo = domain,
}: Omit<Site, 'tls'>): boolean {
  const isPlain = (address: string) => /^[A-Za-z0-9.-]+:\d{1,5}$/.test(address)
  const isName = (name: string) => /^[a-z0-9.-]+$/.test(name)
  return isName(domain) && isName(redirectTo) && isPlain(upstream) && isPlain(tlsUpstream)
}

export interface EdgeSettings {
  httpPort: number
  httpsPort: number
  /**
   * Address of Caddy's admin API. Every configuration must contain it: without it, Caddy would move the API to its
   * default address.
   */
  admin: string
  storage: string
  tlsLog: string
  /** Path of the log of requests that got status 508 (proxy loop), as JSON lines. */
  proxyLoopLog: string
  /**
   * `acme`: the ACME authority at `acmeUrl` issues the certificates. `internal`: Caddy's own authority issues them, and
   * browsers do not trust them.
   */
  issuer: 'acme' | 'internal'
  email?: string
  /** Directory URL of an ACME certificate authority. Default: Let's Encrypt. */
  acmeUrl?: string
  /** PEM file of the root certificates that sign the authority's certificates and its HTTPS API. */
  acmeRoots?: string
}

/**
 * HTTP status of responses to visitors who use HTTPS, but whose request came through another proxy that connects to the
 * edge by HTTP. A redirect to HTTPS would loop.
 */
export const PROXY_LOOP_STATUS = 508

const PROXY_LOOP_LOGGER = 'proxy_loops'

const REMOVED_LOG_FIELDS = [
  'request>headers',
  'request>uri',
  'request>remote_ip',
  'request>remote_port',
  'request>client_ip',
  'resp_headers',
]

const NANOSECONDS_PER_SECOND = 1_000_000_000

/** Sets whether Caddy's access log omits a request. Caddy 2.8 renamed the variable, so this sets both names. */
const setLogSkipped = (isSkipped: boolean) => ({
  handler: 'vars',
  skip_log: isSkipped,
  log_skip: isSkipped,
})

/**
 * Maximum concurrent requests, including WebSockets, that the edge forwards to one port of a web server. Further
 * requests get 503. Otherwise one hanging web server could use up the edge's sockets and memory.
 */
export const MAX_UPSTREAM_REQUESTS = 1_024

/** Response header of the edge's error pages for its sites. The edge's 404 page for unknown domains lacks it. */
export const EDGE_ERROR_HEADER = 'X-Edge-Error'

/**
 * Returns the configuration as chunks of JSON, because 50,000 sites need about 30 MB. Domain names are JSON strings, so
 * they cannot inject configuration.
 * @param version Caddy's `@id`, by which the active configuration can be recognized
 */
export function caddyConfigChunks(
  sites: Site[],
  settings: EdgeSettings,
  version: string
): Generator<string> {
  return jsonChunks({ ...configOf(sites, settings), '@id': version })
}

function configOf(sites: Site[], settings: EdgeSettings): object {
  const { httpPort, httpsPort, admin, storage, tlsLog, proxyLoopLog } = settings
  const subjects = sites.some(isSecure) && { subjects: secureNames(sites) }
  return {
    admin: caddyAdminConfig(admin),
    storage: { module: 'file_system', root: storage },
    logging: {
      logs: {
        default: {
          level: 'WARN',
          exclude: ['http.log.access'],
          // Leaves the secret headers out of the log.
          encoder: {
            format: 'filter',
            wrap: { format: 'json' },
            fields: { 'request>headers': { filter: 'delete' } },
          },
        },
        tls: {
          include: ['tls'],
          level: 'ERROR',
          writer: { output: 'file', filename: tlsLog, roll_size_mb: 5, roll_keep: 1 },
        },
        proxy_loops: {
          include: [`http.log.access.${PROXY_LOOP_LOGGER}`],
          writer: { output: 'file', filename: proxyLoopLog, roll_size_mb: 1, roll_keep: 1 },
          // Logs only the requested domain and no data about the visitor.
          encoder: {
            format: 'filter',
            wrap: { format: 'json' },
            fields: Object.fromEntries(
              REMOVED_LOG_FIELDS.map((name) => [name, { filter: 'delete' }])
            ),
          },
          // Logs only a sample, because every request to a busy site may cause this error.
          sampling: { interval: NANOSECONDS_PER_SECOND, first: 50, thereafter: 1_000 },
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
            // Caddy's automatic redirects from HTTP to HTTPS are off: some domains have no HTTPS yet, and a separate
            // server handles HTTP.
            automatic_https: { disable_redirects: true },
            routes: secureRoutes(sites, httpsPort),
            errors,
          },
          plain: {
            listen: [`:${httpPort}`],
            routes: plainRoutes(sites, httpsPort),
            logs: { default_logger_name: PROXY_LOOP_LOGGER },
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

/** Caddy starts with this part of the configuration alone. */
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

function* secureRoutes(sites: Site[], httpsPort: number): Generator<object> {
  for (const site of sites) {
    if (!isSecure(site)) continue
    const { domain, redirectTo } = site
    yield route(domain, redirectTo ? toHttps(redirectTo, httpsPort) : toTlsUpstream(site))
  }
  yield nothing
}

function* plainRoutes(sites: Site[], httpsPort: number): Generator<object> {
  yield { handle: [setLogSkipped(true)] }
  if (sites.some(redirectsToHttps)) yield jsonChunks(proxyLoop(redirectedDomains(sites)))
  for (const site of sites) yield route(site.domain, plainHandler(site, httpsPort))
  yield nothing
}

function plainHandler(site: Site, httpsPort: number): object {
  const { redirectTo, keepsHttp } = site
  if (redirectTo) {
    const secure = toHttps(redirectTo, httpsPort)
    return keepsHttp ? keepScheme(redirect(`http://${redirectTo}`), secure) : secure
  }
  return redirectsToHttps(site) ? toHttps('{http.request.host}', httpsPort) : toUpstream(site)
}

const route = (domain: string, handler: object) => ({
  match: [{ host: [domain] }],
  handle: [handler],
  terminal: true,
})

/** Caddy applies the limit to all requests to this address, whichever site they are for. */
const limitedUpstream = (dial: string) => ({ dial, max_requests: MAX_UPSTREAM_REQUESTS })

const toUpstream = (site: Site) => ({
  handler: 'reverse_proxy',
  upstreams: [limitedUpstream(site.upstream)],
  headers: { request: { set: secretHeadersOf(site) } },
})

const secretHeadersOf = ({ secretHeaders }: Site): Record<string, string[]> =>
  secretHeaders
    ? {
        [secretHeaders.addressHeader]: ['{http.request.remote.host}'],
        [secretHeaders.schemeHeader]: ['{http.request.scheme}'],
      }
    : {}

/** Keeps the visitor's `Host` header. By default, Caddy 2.11 would send the upstream's address in it. */
const toTlsUpstream = (site: Site) =>
  site.tlsUpstream
    ? {
        handler: 'reverse_proxy',
        upstreams: [limitedUpstream(site.tlsUpstream)],
        headers: {
          request: { set: { ...secretHeadersOf(site), Host: ['{http.request.hostport}'] } },
        },
        transport: {
          protocol: 'http',
          // Connects to upstreams by HTTP/1.1, because WebSockets do not work with HTTP/2.
          versions: ['1.1'],
          tls: { insecure_skip_verify: true, server_name: site.domain },
        },
      }
    : toUpstream(site)

const toHttps = (host: string, port: number) =>
  redirect(`https://${host}${port === 443 ? '' : `:${port}`}`)

/** Returns a handler that redirects to the origin, with the same path and query. */
const redirect = (origin: string) => ({
  handler: 'static_response',
  status_code: 308,
  headers: { Location: [`${origin}{http.request.uri}`] },
})

/**
 * Returns whether a site redirects HTTP to HTTPS of the same domain. A redirect to another domain cannot loop, because
 * that domain checks for loops itself.
 */
const redirectsToHttps = ({ tls, keepsHttp, redirectTo }: Site) =>
  tls === 'works' && !keepsHttp && !redirectTo

/**
 * Headers by which another proxy reports that its visitor uses HTTPS. If such a proxy connects to the edge by HTTP, a
 * redirect to HTTPS would never end. A visitor who forges these headers only gets an error.
 */
const HTTPS_VISITOR_HEADERS = {
  'X-Forwarded-Proto': ['https*', 'HTTPS*'],
  'X-Forwarded-Scheme': ['https'],
  'X-Forwarded-Ssl': ['on'],
  'Front-End-Https': ['on'],
  'Cloudfront-Forwarded-Proto': ['https'],
  'Cf-Visitor': ['*"https"*'],
  Forwarded: ['*proto=https*', '*proto="https"*'],
}

const matchHttpsVisitors = Object.entries(HTTPS_VISITOR_HEADERS).map(([name, values]) => ({
  header: { [name]: values },
}))

/** Returns a handler that runs `secure` if another proxy reports that its visitor uses HTTPS, and `plain` otherwise. */
const keepScheme = (plain: object, secure: object) => ({
  handler: 'subroute',
  routes: [{ match: matchHttpsVisitors, handle: [secure], terminal: true }, { handle: [plain] }],
})

function* redirectedDomains(sites: Site[]): Generator<string> {
  for (const site of sites) if (redirectsToHttps(site)) yield site.domain
}

const proxyLoop = (host: Generator<string>) => ({
  match: [{ host }],
  handle: [
    {
      handler: 'subroute',
      routes: [
        {
          match: matchHttpsVisitors,
          handle: [setLogSkipped(false), proxyLoopError],
          terminal: true,
        },
      ],
    },
  ],
})

const proxyLoopError = {
  handler: 'static_response',
  status_code: PROXY_LOOP_STATUS,
  headers: {
    'Content-Type': ['text/plain; charset=utf-8'],
    'Cache-Control': ['no-store'],
    [EDGE_ERROR_HEADER]: [String(PROXY_LOOP_STATUS)],
  },
  body: [
    'The proxy in front of this site connects to it over HTTP, although visitors use HTTPS.',
    'A redirect to HTTPS would never end.',
    'If this is your site, set the proxy to connect over HTTPS (Cloudflare: SSL/TLS mode "Full").',
    '',
  ].join('\n'),
}

const nothing = {
  handle: [
    { handler: 'static_response', status_code: 404, body: 'There is no site with this name.' },
  ],
}

const edgeError = (body: string) => ({
  handler: 'static_response',
  status_code: '{http.error.status_code}',
  headers: { [EDGE_ERROR_HEADER]: ['{http.error.status_code}'] },
  body,
})

/**
 * Edge's own error pages, for an upstream that is overloaded or does not respond. Error responses of a site pass
 * unchanged.
 */
const errors = {
  routes: [
    {
      match: [{ vars: { '{http.error.status_code}': ['503'] } }],
      handle: [
        edgeError('This site is still answering too many other requests. Try again in a minute.'),
      ],
      terminal: true,
    },
    { handle: [edgeError('This site does not respond.')] },
  ],
}
