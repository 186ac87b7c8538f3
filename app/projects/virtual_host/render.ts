import { folderOf } from '#projects/paths'
import { type VirtualHost, virtualHostTypes } from '#projects/virtual_host/types'

/** The first line of every file of ours; a file without it is left alone. */
export const MARK = '# Berth project '
/** The last line; a file that lacks it was cut off on its way. */
export const END = '# End of Berth project'

export interface SiteFacts {
  id: number
  path: string
  virtualHost: VirtualHost
}

/**
 * Apache's configuration of a virtual host. Expects values that `readVirtualHost` has let through,
 * and refuses (TypeError) to write any that could end a line or a quotation.
 */
export function renderSite({ id, path, virtualHost: host }: SiteFacts): string {
  const { proxy, php } = virtualHostTypes[host.type]
  const port = host.url_type === 'port' ? host.url_port! : 80
  const folder = folderOf(path, host.entry_point)
  const lines = [
    `${MARK}${safe(id)}. Changes made here are overwritten.`,
    ...(host.url_type === 'port' ? [`Listen ${safe(port)}`] : []),
    `<VirtualHost *:${safe(port)}>`,
    ...(host.subdomain ? [`  ServerName ${safe(host.subdomain)}`] : []),
    `  ServerAdmin ${safe(host.server_admin)}`,
    ...(proxy ? proxyLines(host.reverse_proxy_port!) : folderLines(folder, host)),
    ...(php ? phpLines : []),
    `  ErrorLog \${APACHE_LOG_DIR}/project_${safe(id)}_error.log`,
    `  CustomLog \${APACHE_LOG_DIR}/project_${safe(id)}_access.log combined`,
    '</VirtualHost>',
    END,
  ]
  return `${lines.join('\n')}\n`
}

function proxyLines(port: number): string[] {
  return [
    '  ProxyRequests Off',
    '  ProxyPreserveHost On',
    `  ProxyPass / http://127.0.0.1:${safe(port)}/ upgrade=websocket`,
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
    ...(host.type === 'node' ? ['    FallbackResource /index.html'] : []),
    '  </Directory>',
    // Repositories and settings live in dot files; only /.well-known is meant to be read.
    '  <LocationMatch "/\\.(?!well-known/)">',
    '    Require all denied',
    '  </LocationMatch>',
  ]
}

const phpLines = [
  '  DirectoryIndex index.php index.html',
  '  <FilesMatch "\\.ph(ar|p|tml)$">',
  '    SetHandler "proxy:unix:/run/php/php-fpm.sock|fcgi://localhost"',
  '  </FilesMatch>',
]

/** The last line of defence: what is not plain never reaches a configuration. */
function safe(value: string | number): string {
  const text = String(value)
  if (!/^[A-Za-z0-9@._%+/-]+$/.test(text)) {
    throw new TypeError(`${JSON.stringify(text)} cannot stand in a web server's configuration`)
  }
  return text
}
