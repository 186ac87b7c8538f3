import env from '#start/env'
import { getPublicSuffix } from 'tldts'
import { isIP } from 'node:net'

/** Subdomains that an installation uses in addition to the console's name. */
const SERVICE_SUBDOMAINS = ['edge', 'gateway', 'mail', 'vault']

/** Rejects names of this installation, and names below them. */
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
  // A mail provider may offer subdomains too, so customers may use names below these two.
  const sender = /@([^\s<>@]+)/.exec(env.get('MAIL_FROM') ?? '')?.[1]?.toLowerCase()
  const exact = [sender, hostOf(env.get('SMTP_URL')?.release())]
  return { within: within.filter(isName), exact: exact.filter(isName) }
}

const isSuffix = (name: string) => getPublicSuffix(name, { allowPrivateDomains: true }) === name

/** Customers cannot enter IP addresses or `localhost` as domains. */
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
