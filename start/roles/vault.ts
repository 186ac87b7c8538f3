import { listen } from '#core/idle_role'
import { ports } from '#config/services'

/** Nothing but a health check yet. */
export function start() {
  return listen('vault', ports.vault)
}
