import env from '#start/env'
import { getPublicSuffix } from 'tldts'
import { isIP } from 'node:net'

/** Names of the services next to the console's name. They are reserved too. */
const SERVICE_SUBDOMAINS = ['edge', 'gateway', 'mail', 'vault']

/**
 * Returns an error message if the name belongs to this installation or is below one of its names.
 * Null: customers can use the name.
 */
export function findReservedNameProblem(name: string): string | null {
  const { within, exact } = ownNames()
  const own = within.some((one) => name === one || name.endsWith(`.${one}`)) || exact.includes(name)
  return own ? `${name} belongs to the hosting platform. Enter a domain of your own.` : null
}

function ownNames(): { within: string[]; exact: string[] } {
  const app = hostOf(env.get('APP_URL'))
  const parent = app?.slice(app.indexOf('.') + 1)
  const siblings = app && parent && app !== parent && !isSuffix(parent) ? SERVICE_SUBDOMAINS : []
  const within = [
    app,
    ...siblings.map((service) => `${service}.${parent}`),
    hostOf(env.get('GATEWAY_URL')),
    hostOf(env.get('VAULT_URL')),
    hostOf(env.get('MAIL_URL')),
  ]
  // Reserves these two names, but not names below them. A mail provider's domain can have subdomains of
  // other people.
  const sender = /@([^\s<>@]+)/.exec(env.get('MAIL_FROM') ?? '')?.[1]?.toLowerCase()
  const exact = [sender, hostOf(env.get('SMTP_URL')?.release())]
  return { within: within.filter(isName), exact: exact.filter(isName) }
}

const isSuffix = (name: string) => getPublicSuffix(name, { allowPrivateDomains: true }) === name

/**
 * Returns whether the host is a domain name. An IP address or `localhost` need not be reserved,
 * because customers cannot add it as a domain.
 */
const isName = (host: string | null | undefined): host is string =>
  Boolean(host?.includes('.')) && !isIP(host!)

function hostOf(url: string | undefined): string | null {
  if (!url) return null
  try {
    return new URL(url).hostname.toLowerCase()
  } catch {
    return null
  }
}
