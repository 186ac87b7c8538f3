import { normalizeDomainName, findDomainNameProblem } from '#edge/public'
import { parseRelativeWebFolder } from '#guest/public'
import { type PhpLimit, phpLimits } from '#projects/virtual_host/php_pool'
import {
  type UrlType,
  urlTypes,
  type VirtualHost,
  type VirtualHostType,
  virtualHostTypes,
} from '#projects/virtual_host/virtual_host_types'
import { invalid } from '#core/app_error'
import { APACHE_TLS_PORT } from '#packages/apache/main'

const EMAIL_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/

/** Ports that the instance uses itself: SSH and the three ports of the web server. */
const RESERVED_PORTS = [22, 80, 443, APACHE_TLS_PORT]

/** Parses a port number from a number or plain digits. Returns null for anything else. */
export function parsePortNumber(value: unknown): number | null {
  const port = wholeNumber(value)
  return port && port <= 65_535 ? port : null
}

function wholeNumber(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && /^[1-9]\d{0,4}$/.test(text) ? Number(text) : null
}

/** Returns whether Apache needs no site, because the app is reached at its own port. */
export function needsNoApacheSite({
  type,
  url_type: urlType,
}: Pick<VirtualHost, 'type' | 'url_type'>) {
  return type === 'reverse_proxy' && urlType === 'port'
}

/**
 * Returns the port of the instance that visitors use: the web server's port for the site, or the
 * app's own. Null if the site has a domain.
 */
export function sitePort(host: VirtualHost): number | null {
  return needsNoApacheSite(host) ? host.reverse_proxy_port : host.url_port
}

/** Returns the field of a virtual host that contains this port. */
export function sitePortField(host: VirtualHost): 'reverse_proxy_port' | 'url_port' {
  return needsNoApacheSite(host) ? 'reverse_proxy_port' : 'url_port'
}

/** Returns the name of a virtual host's file in Apache's sites folder (product, "Projects"). */
export function siteFileName(host: VirtualHost): string | null {
  if (needsNoApacheSite(host)) return null
  return host.url_type === 'port' ? `port_${host.url_port}.conf` : `${host.subdomain}.conf`
}

/**
 * Parses a virtual host from a request. Accepts only strict patterns, so that no value can end a
 * line, a quoted string or a section of Apache's configuration.
 * @throws 422 with errors at the fields
 */
export function parseVirtualHostInput(sent: Record<string, unknown>): VirtualHost {
  const errors: Record<string, string> = {}
  const type = keyIn<VirtualHostType>(virtualHostTypes, sent.type)
  const urlType = keyIn<UrlType>(urlTypes, sent.url_type)
  if (!type) errors.type = 'Choose the type of the virtual host.'
  if (!urlType) errors.url_type = 'Choose how the site is reached.'
  const admin = typeof sent.server_admin === 'string' ? sent.server_admin : ''
  if (!EMAIL_PATTERN.test(admin)) errors.server_admin = 'Enter the email of the server admin.'

  const typeInfo = type && virtualHostTypes[type]
  const proxyPort = typeInfo?.proxy ? parsePortNumber(sent.reverse_proxy_port) : null
  if (typeInfo?.proxy && !proxyPort) {
    errors.reverse_proxy_port = 'Enter the port that the app listens on, from 1 to 65535.'
  } else if (proxyPort && RESERVED_PORTS.includes(proxyPort)) {
    errors.reverse_proxy_port = ownPort(proxyPort)
  }
  const entry = typeInfo?.entryPoint ? entryPoint(sent.entry_point) : ''
  if (entry === null) errors.entry_point = 'Enter a folder within the project, for example public.'

  const typed = urlType === 'subdomain' && typeof sent.subdomain === 'string' ? sent.subdomain : ''
  const subdomain = normalizeDomainName(typed)
  if (urlType === 'subdomain' && !subdomain) {
    errors.subdomain = findDomainNameProblem(typed)!
  }
  const needsPort = urlType === 'port' && !typeInfo?.proxy
  const urlPort = needsPort ? parsePortNumber(sent.url_port) : null
  if (needsPort && !urlPort) errors.url_port = 'Enter a port from 1 to 65535.'
  else if (urlPort && RESERVED_PORTS.includes(urlPort)) {
    errors.url_port = ownPort(urlPort)
  }
  const php = typeInfo?.php ? readPhp(sent, errors) : null
  if (Object.keys(errors).length) throw invalid(errors)
  return {
    type: type!,
    url_type: urlType!,
    server_admin: admin,
    entry_point: entry!,
    reverse_proxy_port: proxyPort,
    subdomain,
    url_port: urlPort,
    ...php,
  }
}

/** Parses PHP's limits and version. Missing limits get their defaults. */
function readPhp(sent: Record<string, unknown>, errors: Record<string, string>) {
  const limit = (name: PhpLimit): number => {
    const { usual, least, most, words } = phpLimits[name]
    if (isEmpty(sent[name])) return usual
    const value = wholeNumber(sent[name])
    if (value && value >= least && value <= most) return value
    errors[name] = `Enter ${words}.`
    return usual
  }
  const version = isEmpty(sent.php_version) ? null : sent.php_version
  if (version !== null && !(typeof version === 'string' && /^\d{1,2}\.\d{1,2}$/.test(version))) {
    errors.php_version = 'Choose a version of PHP.'
  }
  return {
    php_upload_mb: limit('php_upload_mb'),
    php_memory_mb: limit('php_memory_mb'),
    php_seconds: limit('php_seconds'),
    php_version: version as string | null,
  }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function ownPort(port: number): string {
  return `Port ${port} is used by the server instance itself. Choose another.`
}

function keyIn<Key extends string>(map: Record<Key, unknown>, value: unknown): Key | null {
  return typeof value === 'string' && Object.hasOwn(map, value) ? (value as Key) : null
}

function entryPoint(value: unknown): string | null {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string') return null
  const text = value.trim()
  if (/^\.?\/*$/.test(text)) return ''
  return text.startsWith('/var/') ? null : parseRelativeWebFolder(text)
}
