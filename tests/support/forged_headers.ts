import { edgeHeaders } from '#packages/apache/main'

const FORGED_ADDRESS = '203.0.113.9'

/** Headers in which proxies report the address of a visitor. Programs believe the first one that they find. */
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
]
const CLOUDFLARE_SCHEME_HEADER = 'CF-Visitor'

/**
 * `.htaccess` with which each response repeats, in `X-Seen`, the visitor's address, HTTPS, the scheme, the headers
 * that Apache sets itself, and all forged headers that it did not remove.
 */
export function echoHtaccess(): string {
  const names = ['X-Real-IP', 'X-Forwarded-Proto', ...ADDRESS_HEADERS, CLOUDFLARE_SCHEME_HEADER]
  const headers = names.map((name) => `%{HTTP:${name}}`).join(' ')
  return `Header set X-Seen "expr=%{REMOTE_ADDR} %{HTTPS} %{REQUEST_SCHEME} ${headers}"\n`
}

/**
 * Arguments of curl.
 * @param prefixes of the edge's secret headers (`edgeHeaderPrefix`)
 */
export function forgedHeaderArgs(scheme: 'http' | 'https', prefixes: string[]): string[] {
  const secrets = prefixes.map(edgeHeaders)
  const addresses = [...ADDRESS_HEADERS, 'X-Real-IP', ...secrets.map((one) => one.addressHeader)]
  const schemes = ['X-Forwarded-Proto', ...secrets.map((one) => one.schemeHeader)]
  return [
    ...addresses.map((name) => `${name}: ${FORGED_ADDRESS}`),
    ...schemes.map((name) => `${name}: ${scheme}`),
    `${CLOUDFLARE_SCHEME_HEADER}: {"scheme":"${scheme}"}`,
  ].flatMap((line) => ['-H', line])
}
