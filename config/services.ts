import env from '#start/env'
import { appUrl } from '#config/app'

/** Default ports: web 3333, gateway 3334, vault 3335, mail 3336 (product, "Addresses"). */
export const ports = {
  web: env.get('PORT'),
  gateway: env.get('GATEWAY_PORT', env.get('PORT') + 1),
  vault: env.get('VAULT_PORT', env.get('PORT') + 2),
  mail: env.get('MAIL_PORT', env.get('PORT') + 3),
}

const origin = new URL(appUrl)

function besideWeb(port: number, protocol = origin.protocol): string {
  return `${protocol}//${origin.hostname}:${port}`
}

/** Where a browser reaches the terminal gateway. */
export const gatewayUrl =
  env.get('GATEWAY_URL') ?? besideWeb(ports.gateway, origin.protocol === 'https:' ? 'wss:' : 'ws:')
/** Where API clients and browsers reach the vault; an origin of its own. */
export const vaultUrl = env.get('VAULT_URL') ?? besideWeb(ports.vault)
/** Where API clients reach the mail service. */
export const mailUrl = env.get('MAIL_URL') ?? besideWeb(ports.mail)
