import { listen } from '#start/idle_role'
import env from '#start/service_env'

/** Nothing but a health check yet. */
export function start() {
  return listen('mail', env.get('MAIL_PORT')!)
}
