import { absoluteWebPath } from '#guest/public'
import { type ProjectStack, stacks } from '#projects/stacks'
import { phpSettingsOf, poolSocket } from '#projects/virtual_host/php_pool'
import { type VirtualHost, virtualHostTypes } from '#projects/virtual_host/virtual_host_types'
import {
  DOT_FILES_PATTERN,
  APACHE_TLS_PEM_PATH,
  APACHE_TLS_DIRECTIVES,
  APACHE_TLS_PORT,
} from '#packages/apache/main'

/** Beginning of the first line of Berth's site files. Berth never changes other files. */
export const SITE_FILE_FIRST_LINE_PREFIX = '# Berth project '
/** Last line of a site file. A file without it was not transferred completely. */
export const SITE_FILE_LAST_LINE = '# End of Berth project'

export interface SiteInput {
  id: number
  path: string
  stack: ProjectStack
  virtualHost: VirtualHost
  phpVersion?: string | null
}

/**
 * Renders a site from values that `virtualHostValidator` accepted.
 * @throws TypeError for a value that could end a line or a quoted string
 */
export function renderSite({ id, path, stack, virtualHost: host, phpVersion }: SiteInput): string {
  const { proxy, php } = virtualHostTypes[host.type]
  const logs = siteLogNames(id)
  const port = host.url_type === 'port' ? host.url_port! : 80
  const folder = absoluteWebPath(path, host.entry_point)
  const served = [
    `  ServerAdmin ${safe(host.server_admin)}`,
    // By default, Apache responds with 404 if a path contains encoded slashes.
    '  AllowEncodedSlashes NoDecode',
    ...(proxy ? proxyLines(host.reverse_proxy_port!) : folderLines(folder, host)),
    // Behind a proxy, `packages/apache` denies only dot files that contain secrets, because apps may need other paths
    // with a dot. A stack without a process needs none, so all are denied here.
    ...(proxy && !stacks[stack].process ? dotFileLines : []),
    ...(php ? phpLines(id, phpVersion ?? '', host) : []),
    `  ErrorLog \${APACHE_LOG_DIR}/${logs.errors}`,
    `  CustomLog \${APACHE_LOG_DIR}/${logs.access} combined`,
    '</VirtualHost>',
  ]
  const name = host.subdomain && safe(host.subdomain)
  const aliases = host.other_names?.map((other) => safe(other.name)) ?? []
  const aliasLines = name && aliases.length ? [`  ServerAlias ${aliases.join(' ')}`] : []
  const lines = [
    `${SITE_FILE_FIRST_LINE_PREFIX}${safe(id)}. Changes made here are overwritten.`,
    ...(host.url_type === 'port' ? [`Listen ${safe(port)}`] : []),
    `<VirtualHost *:${safe(port)}>`,
    ...(name ? [`  ServerName ${name}`] : []),
    // Aliases include domains with the use `redirect`, because they serve the site until the edge redirects them.
    ...aliasLines,
    ...served,
    ...(name ? tlsLines(name, [...aliasLines, ...served]) : []),
    SITE_FILE_LAST_LINE,
  ]
  return `${lines.join('\n')}\n`
}

export function siteLogNames(projectId: number): { access: string; errors: string } {
  const start = `project_${safe(projectId)}`
  return { access: `${start}_access.log`, errors: `${start}_error.log` }
}

/**
 * Returns the same site for HTTPS requests from the edge. The port in ServerName becomes the value of
 * `%{SERVER_PORT}`.
 */
function tlsLines(name: string, served: string[]): string[] {
  return [
    `<IfFile "${APACHE_TLS_PEM_PATH}">`,
    `<VirtualHost *:${APACHE_TLS_PORT}>`,
    `  ServerName ${name}:443`,
    ...APACHE_TLS_DIRECTIVES.map((line) => `  ${line}`),
    ...served,
    '</IfFile>',
  ]
}

function proxyLines(port: number): string[] {
  return [
    '  ProxyRequests Off',
    '  ProxyPreserveHost On',
    // Forwards paths unchanged, and sends server-sent events without buffering.
    `  ProxyPass / http://127.0.0.1:${safe(port)}/ nocanon upgrade=websocket flushpackets=on`,
    `  ProxyPassReverse / http://127.0.0.1:${safe(port)}/`,
  ]
}

function folderLines(folder: string, host: VirtualHost): string[] {
  return [
    `  DocumentRoot "${safe(folder)}"`,
    `  <Directory "${safe(folder)}">`,
    '    Options -Indexes +FollowSymLinks',
    '    AllowOverride All',
    '    Require all granted',
    ...(host.type === 'node' ? fallbackLines : []),
    '  </Directory>',
  ]
}

const dotFileLines = [
  `  <LocationMatch "${DOT_FILES_PATTERN}">`,
  '    Require all denied',
  '  </LocationMatch>',
]

/** A request for a missing file of these types gets 404 instead of the app's first page. */
const STATIC_FILE_EXTENSIONS = [
  'js',
  'mjs',
  'cjs',
  'css',
  'map',
  'json',
  'xml',
  'txt',
  'wasm',
  'webmanifest',
  'pdf',
  'zip',
  'png',
  'jpe?g',
  'gif',
  'svg',
  'webp',
  'avif',
  'ico',
  'bmp',
  'woff2?',
  'ttf',
  'otf',
  'eot',
  'mp3',
  'mp4',
  'webm',
  'ogg',
  'wav',
].join('|')

/**
 * Serves the app's first page for paths of a single-page app. Applies only to page visits: GET or HEAD requests
 * that accept HTML, do not come from a script or style, and name no static file.
 */
const fallbackLines = [
  '    RewriteEngine On',
  '    RewriteCond %{REQUEST_METHOD} ^(GET|HEAD)$',
  '    RewriteCond %{REQUEST_FILENAME} !-f',
  '    RewriteCond %{REQUEST_FILENAME} !-d',
  // Before its first build, an app has no index.html. Without this condition, Apache would rewrite the request
  // forever.
  '    RewriteCond %{REQUEST_URI} !=/index.html',
  `    RewriteCond %{REQUEST_URI} !\\.(${STATIC_FILE_EXTENSIONS})$ [NC]`,
  '    RewriteCond %{HTTP_ACCEPT} text/html|\\*/\\*|^$',
  '    RewriteCond %{HTTP:Sec-Fetch-Dest} ^(document|i?frame)?$',
  '    RewriteRule ^ /index.html [L]',
]

function phpLines(id: number, version: string, host: VirtualHost): string[] {
  // Apache's timeout must be longer than PHP's, so that PHP can report its own error.
  const timeoutSeconds = Math.max(300, phpSettingsOf(host).php_seconds + 30)
  return [
    '  DirectoryIndex index.php index.html',
    `  ProxyTimeout ${safe(timeoutSeconds)}`,
    '  <FilesMatch "\\.ph(ar|p|tml)$">',
    `    SetHandler "proxy:unix:${safe(poolSocket(id, version))}|fcgi://localhost"`,
    '  </FilesMatch>',
  ]
}

/** Throws for values that could change the configuration. The validator normally rejects them. */
function safe(value: string | number): string {
  const text = String(value)
  if (!/^[A-Za-z0-9@._%+/-]+$/.test(text)) {
    throw new TypeError(`${JSON.stringify(text)} is not allowed in a web server's configuration`)
  }
  return text
}
