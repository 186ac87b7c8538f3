import { edgeHeaders } from '#packages/apache/main'

export const FORGED_ADDRESS = '203.0.113.9'

/**
 * Headers in which proxies report a visitor's address. Programs trust the first one that they find.
 */
const ADDRESS_HEADERS = [
  'X-Forwarded-For',
  'Forwarded',
  'Client-IP',
  'X-Client-IP',
  'X-Cluster-Client-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'CF-Pseudo-IPv4',
  'Fastly-Client-IP',
  'Fly-Client-IP',
  'Proxy-Client-IP',
  'WL-Proxy-Client-IP',
  // With an underscore: apps in Python and Ruby cannot distinguish this name from the one with hyphens.
  'X_Real_IP',
  'X-Real_IP',
  'X_Forwarded_For',
  'X-Forwarded_For',
  'X_Forwarded-For',
  'CF_Connecting_IP',
]
const SCHEME_HEADERS = [
  'X-Scheme',
  'X-Forwarded-Https',
  'X_Forwarded_Proto',
  'X-Forwarded_Proto',
  'X_Scheme',
]
const CLOUDFLARE_SCHEME_HEADER = 'CF-Visitor'

/**
 * Returns an `.htaccess` that makes each response report in `X-Seen` what Apache knows about the request. That is the
 * visitor's address, HTTPS, the scheme, the headers that Apache sets itself, and the forged headers that it did not
 * remove, except the edge's secret ones.
 */
export function echoHtaccess(): string {
  const names = [
    'X-Real-IP',
    'X-Forwarded-Proto',
    ...ADDRESS_HEADERS,
    ...SCHEME_HEADERS,
    CLOUDFLARE_SCHEME_HEADER,
  ]
  const headers = names.map((name) => `%{HTTP:${name}}`).join(' ')
  return `Header set X-Seen "expr=%{REMOTE_ADDR} %{HTTPS} %{REQUEST_SCHEME} ${headers}"\n`
}

/**
 * Returns headers as an attacker would forge them.
 * @param prefixes prefixes of the edge's secret headers (`edgeHeaderPrefix`)
 */
export function forgedHeaders(
  scheme: 'http' | 'https',
  prefixes: string[]
): Record<string, string> {
  const secrets = prefixes.map(edgeHeaders)
  const addresses = [...ADDRESS_HEADERS, 'X-Real-IP', ...secrets.map((one) => one.addressHeader)]
  const schemes = [
    'X-Forwarded-Proto',
    ...SCHEME_HEADERS,
    ...secrets.map((one) => one.schemeHeader),
  ]
  return Object.fromEntries([
    ...addresses.map((name) => [name, FORGED_ADDRESS]),
    ...schemes.map((name) => [name, scheme]),
    [CLOUDFLARE_SCHEME_HEADER, `{"scheme":"${scheme}"}`],
  ]) as Record<string, string>
}

/** Returns the headers as arguments of curl. */
export function forgedHeaderArgs(scheme: 'http' | 'https', prefixes: string[]): string[] {
  return Object.entries(forgedHeaders(scheme, prefixes)).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ])
}
