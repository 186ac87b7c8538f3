import env from '#start/env'
import { appUrl } from '#config/app'

/** Ports of the services. Default: web 3333, gateway 3334, vault 3335, mail 3336 (docs/product.md, "Addresses"). */
export const ports = {
  web: env.get('PORT'),
  gateway: env.get('GATEWAY_PORT', env.get('PORT') + 1),
  vault: env.get('VAULT_PORT', env.get('PORT') + 2),
  mail: env.get('MAIL_PORT', env.get('PORT') + 3),
}

const origin = new URL(appUrl)

/** URL at which browsers and programs reach the vault. Default: the console's host name with the vault's port. */
export const vaultUrl = (
  env.get('VAULT_URL') ?? `${origin.protocol}//${origin.hostname}:${ports.vault}`
).replace(/\/$/, '')

/** URL at which programs reach the mail service. Default: the console's host name with the mail service's port. */
export const mailUrl = (
  env.get('MAIL_URL') ?? `${origin.protocol}//${origin.hostname}:${ports.mail}`
).replace(/\/$/, '')

/** URL at which browsers reach the gateway. Default: the console's host name with the gateway's port. */
export const gatewayUrl =
  env.get('GATEWAY_URL') ??
  `${origin.protocol === 'https:' ? 'wss:' : 'ws:'}//${origin.hostname}:${ports.gateway}`
