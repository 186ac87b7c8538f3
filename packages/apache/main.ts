import { isIPv4 } from 'node:net'

/**
 * Apache modules that the configuration below and the sites need. Berth itself does not use `expires`: it is for
 * `.htaccess` files that customers bring from other providers.
 */
export const APACHE_MODULES = [
  'rewrite',
  'proxy',
  'proxy_http',
  'proxy_wstunnel',
  'headers',
  'remoteip',
  'setenvif',
  'expires',
]

/**
 * Port at which an instance's Apache accepts TLS connections from the edge proxy. It is below 1024, so only root can
 * listen there, and the kernel never uses it for outgoing connections. It is not 443, because a customer's program may
 * listen on that port.
 */
export const APACHE_TLS_PORT = 943

/**
 * PEM file with the key and self-signed certificate of an instance's Apache. Without this file, Apache serves only
 * HTTP.
 */
export const APACHE_TLS_PEM_PATH = '/etc/apache2/berth-tls.pem'

export const APACHE_TLS_DIRECTIVES = ['SSLEngine on', `SSLCertificateFile ${APACHE_TLS_PEM_PATH}`]

/**
 * Replaces the default site that Debian's Apache package installs. Berth's server configuration handles unknown host
 * names instead.
 */
export const APACHE_DEFAULT_SITE_CONFIG = `# Berth answers names that no site has in conf-available/berth.conf.
`

/** SHA-256 of the default sites in earlier base images. A site with another hash was edited by hand. */
export const EARLIER_DEFAULT_SITE_SHA256_SUMS = [
  '96b4030c2e4336d4466707d222b61b4f4306df9852b7ca49ed50609a9b1ed4eb',
]

const ENCODED_DOT_PATTERN = '(?:/|%2f)(?:\\.|%2e)'

/** Matches URL paths that have a segment with a leading dot, except `/.well-known/`, which is public. */
export const DOT_FILES_PATTERN = `(?i)${ENCODED_DOT_PATTERN}(?!well-known(?:/|$))`

/**
 * Folders with a leading dot that contain public files: `.well-known`, and folders into which build tools write a
 * website. In them, other files and folders whose names start with a dot are not served.
 */
const PUBLIC_DOT_FOLDERS = [
  '.well-known',
  '.output/public',
  '.vitepress/dist',
  '.vuepress/dist',
  '.svelte-kit/output/client',
  '.svelte-kit/output/prerendered',
  '.vercel/output/static',
  '.vinxi/build/client',
  '.open-next/assets',
  '.amplify-hosting/static',
  '.medusa/server/public',
]

const DOT_PATHS_PATTERN = `/\\.(?!(?:${PUBLIC_DOT_FOLDERS.map((folder) => folder.slice(1)).join('|')})(?:/|$))`
const DOT_NAMES_PATTERN = '^\\.(?!well-known$)'

/**
 * Matches dot files that contain secrets or repositories. Sites whose requests Apache forwards to an app deny only
 * these, because apps need other paths with a dot, such as `/node_modules/.vite/`.
 */
const SECRET_DOT_FILES_PATTERN = `(?i)${ENCODED_DOT_PATTERN}(?:${[
  'env',
  'envrc',
  'git',
  'gitconfig',
  'git-credentials',
  'svn',
  'hg',
  'bzr',
  'cvs',
  'ht[a-z]+',
  'ssh',
  'gnupg',
  'aws',
  'azure',
  'kube',
  'docker',
  'dockercfg',
  'npmrc',
  'yarnrc',
  'pypirc',
  'netrc',
  'pgpass',
  'my\\.cnf',
  'mylogin\\.cnf',
  '[a-z]+_history',
  'ds_store',
].join('|')})(?:[^a-z/].*)?(?:/|$)`

const deniedDotPath = new RegExp(DOT_PATHS_PATTERN)

/**
 * Returns whether a path leads into a folder whose name starts with a dot, other than public ones such as
 * `.well-known`. No site serves files in such a folder.
 */
export function isDeniedDotFolder(path: string): boolean {
  return deniedDotPath.test(`/${path}`)
}

/** The last line of `serverConfig`. If it is missing, the configuration file was not written completely. */
export const SERVER_CONFIG_END = '# End'

/** The edge proxy in front of an instance's Apache. Apache trusts its headers (`edgeHeaders`). */
export interface TrustedEdge {
  /**
   * IPv4 addresses from which the edge sends requests. Other programs may use the same addresses, so the header names
   * start with a secret prefix (`headerPrefix`).
   */
  addresses: string[]
  headerPrefix: string
}

export function edgeHeaders(headerPrefix: string): { addressHeader: string; schemeHeader: string } {
  return { addressHeader: `${headerPrefix}-For`, schemeHeader: `${headerPrefix}-Proto` }
}

const NOT_FOUND_HTML =
  "<!doctype html><html lang='en'><title>Not found</title><h1>Not found</h1><p>There is no site at this address.</p></html>"

/**
 * Returns Berth's configuration for all sites of an Apache. Apache loads it before the sites, so its virtual host
 * comes first and handles unknown host names. A file in `sites-enabled` would load too late: `0.example.com.conf` sorts
 * before `000-default.conf`.
 * @param edge null or an edge without addresses: Apache trusts no proxy
 * @throws TypeError if an address is not an IPv4 address, or the header prefix is unsafe
 */
export function serverConfig(edge: TrustedEdge | null): string {
  const { addresses, headerPrefix } = edge ?? { addresses: [], headerPrefix: 'X-Berth' }
  if (!addresses.every((address) => isIPv4(address)))
    throw new TypeError('An edge address is not an IPv4 address')
  if (!/^[A-Za-z0-9-]+$/.test(headerPrefix)) throw new TypeError('A header prefix is invalid')
  const { addressHeader, schemeHeader } = edgeHeaders(headerPrefix)
  return `# Written by Berth. Changes made here are overwritten.
ServerName localhost
ServerTokens Prod
ServerSignature Off
TraceEnable Off

<VirtualHost *:80>
  ServerName localhost
  Redirect 404 /
  ErrorDocument 404 "${NOT_FOUND_HTML}"
</VirtualHost>

# HTTPS requests of the edge come in here, so that %{HTTPS} and "SSLRequireSSL" in .htaccess are right.
# Debian's ports.conf would listen on 443 if the module were enabled before it.
<IfFile "${APACHE_TLS_PEM_PATH}">
  <IfModule !ssl_module>
    LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so
  </IfModule>
  Listen ${APACHE_TLS_PORT}
  <VirtualHost *:${APACHE_TLS_PORT}>
    ServerName localhost
    ${APACHE_TLS_DIRECTIVES.join('\n    ')}
    Redirect 404 /
    ErrorDocument 404 "${NOT_FOUND_HTML}"
  </VirtualHost>
</IfFile>

# Dot files are served by no site. Files on disk decide, because addresses of a program may have names
# with dots. A redirect, unlike a denial, cannot be overridden by .htaccess.
<DirectoryMatch "${DOT_PATHS_PATTERN}">
  Redirect 404
</DirectoryMatch>
<FilesMatch "${DOT_NAMES_PATTERN}">
  Redirect 404
</FilesMatch>
# Proxied sites have no files here: the address decides.
<LocationMatch "${SECRET_DOT_FILES_PATTERN}">
  AuthMerging And
  Require expr "! (%{REQUEST_FILENAME} =~ m#^proxy:#)"
</LocationMatch>
# Visitors that a program of the host forwards have the address 127.0.0.1, which may see this page.
<Location "/server-status">
  Require all denied
</Location>
<Location "/server-info">
  Require all denied
</Location>

# Applications and .htaccess believe these headers of any visitor. "early" removes them before .htaccess
# is read.
${FORWARDING_HEADERS.flatMap(spellings)
  .map((name) => `RequestHeader unset ${name} early\n`)
  .join('')}\
${
  addresses.length > 0
    ? `# Only the edge knows these names. %{HTTP:…} would show them to visitors in Vary. An internal redirect
# repeats the early lines, and then the scheme is in REDIRECT_from_edge.
RequestHeader set X-Forwarded-Proto "expr=%{req_novary:${schemeHeader}}%{reqenv:REDIRECT_from_edge}" early
RequestHeader unset ${schemeHeader} early
${addresses.flatMap((address) => ['http', 'https'].map((scheme) => `SetEnvIfExpr "%{CONN_REMOTE_ADDR} == '${address}' && req_novary('X-Forwarded-Proto') == '${scheme}'" from_edge=${scheme}\n`)).join('')}\
SetEnvIfExpr "reqenv('from_edge') == 'https'" HTTPS=on
<IfModule remoteip_module>
  RemoteIPHeader ${addressHeader}
${addresses.map((address) => `  RemoteIPInternalProxy ${address}\n`).join('')}\
</IfModule>
RequestHeader unset ${addressHeader}
`
    : ''
}\
<IfModule proxy_fcgi_module>
  ProxyFCGISetEnvIf "reqenv('HTTPS') == 'on'" REQUEST_SCHEME https
  ProxyFCGISetEnvIf "reqenv('HTTPS') == 'on'" SERVER_PORT 443
</IfModule>
RequestHeader unset X-Forwarded-Proto env=!from_edge
RequestHeader set X-Real-IP "expr=%{REMOTE_ADDR}"
# The proxy modules drop each header that Connection names. A character stays, so that the rest forms no name.
RequestHeader edit* Connection "(?i)X-Real-IP|X-Forwarded-Proto" "-"
${SERVER_CONFIG_END}
`
}

/**
 * Returns all spellings of a header name with hyphens and underscores, because Python and Ruby apps treat them as the
 * same header.
 */
function spellings(name: string): string[] {
  const [first, ...rest] = name.split('-')
  return rest.reduce(
    (starts, part) => ['-', '_'].flatMap((sign) => starts.map((start) => start + sign + part)),
    [first]
  )
}

/**
 * Headers in which proxies report a visitor's address, scheme, host or original URL. Apache sets `X-Forwarded-For`,
 * `-Host` and `-Server` itself, later.
 */
const FORWARDING_HEADERS = [
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Real-IP',
  'X-Forwarded-Host',
  'X-Forwarded-Server',
  'X-Forwarded-Port',
  'X-Forwarded-Ssl',
  'X-Forwarded-Scheme',
  'X-Forwarded-Prefix',
  'X-Url-Scheme',
  'Front-End-Https',
  'Forwarded',
  'X-Original-URL',
  'X-Rewrite-URL',
  'X-Client-IP',
  'True-Client-IP',
  'CF-Connecting-IP',
  'CF-Connecting-IPv6',
  'CF-Pseudo-IPv4',
  'CF-Visitor',
  'Client-IP',
  'X-Cluster-Client-IP',
  'Fastly-Client-IP',
  'Fastly-SSL',
  'Fly-Client-IP',
  'X-Azure-ClientIP',
  'CloudFront-Viewer-Address',
  'CloudFront-Forwarded-Proto',
  'X-Forwarded',
  'Forwarded-For',
  'X-Forwarded-By',
  'X-Forwarded-Protocol',
  'X-Original-Forwarded-For',
  'X-Original-Host',
  'X-Scheme',
  'X-Forwarded-Https',
  'Proxy-Client-IP',
  'WL-Proxy-Client-IP',
]
