import env from '#start/env'
import { getPublicSuffix } from 'tldts'
import { isIP } from 'node:net'

/** Subdomains that an installation uses in addition to the console's name. */
const SERVICE_SUBDOMAINS = ['edge', 'gateway', 'mail', 'vault']

/**
 * Returns an error message for names of this installation, and names below them. Null: the name is
 * free.
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
  // Customers may use subdomains of these two, because a mail provider's domain can have subdomains
  // of other people.
  const sender = /@([^\s<>@]+)/.exec(env.get('MAIL_FROM') ?? '')?.[1]?.toLowerCase()
  const exact = [sender, hostOf(env.get('SMTP_URL')?.release())]
  return { within: within.filter(isName), exact: exact.filter(isName) }
}

const isSuffix = (name: string) => getPublicSuffix(name, { allowPrivateDomains: true }) === name

/**
 * An IP address or `localhost` need not be reserved, because it is not valid as a customer's
 * domain.
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
