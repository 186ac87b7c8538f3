export interface SshRemote {
  user: string
  /** Host name in lower case. An IPv6 address has no brackets. */
  host: string
  port: number
  /**
   * `user@host:port/path` for both address formats. It identifies the repository of a deploy key.
   */
  name: string
}

const USER_PATTERN = String.raw`(?<user>[A-Za-z0-9_][A-Za-z0-9_.-]*)`
const HOST_PATTERN = String.raw`(?:(?<host>[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)|\[(?<ip>[0-9A-Fa-f:.]+)\])`
const SCP_STYLE_PATTERN = new RegExp(`^${USER_PATTERN}@${HOST_PATTERN}:(?<path>[^-].*)$`, 's')
const SSH_URL_PATTERN = new RegExp(
  `^ssh://${USER_PATTERN}@${HOST_PATTERN}(?::(?<port>[0-9]{1,5}))?/(?<path>[^-].*)$`,
  'is'
)

/** Returns whether a link has the form of an SSH address, even if the address is invalid. */
export function looksLikeSsh(link: string): boolean {
  return /^ssh:\/\//i.test(link) || /^[^\s/:@-][^\s/:@]*@[^\s/]+:(?!\/\/)/.test(link)
}

/**
 * Parses `user@host:path` and `ssh://user@host[:port]/path`. No part begins with “-”, which a program could
 * mistake for an option.
 */
export function parseSshRemote(link: string): SshRemote | null {
  const match = SCP_STYLE_PATTERN.exec(link) ?? SSH_URL_PATTERN.exec(link)
  const { user, host, ip, port = '22', path } = match?.groups ?? {}
  if (!user || !path || Number(port) < 1 || Number(port) > 65_535) return null
  const name = (host ?? ip).toLowerCase()
  const short = path
    .replace(/^\/+/, '')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
  if (short === '' || short.startsWith('-')) return null
  return {
    user,
    host: name,
    port: Number(port),
    name: `${user}@${name}:${Number(port)}/${short}`,
  }
}
