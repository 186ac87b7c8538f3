import { ControlClient as Client } from '#packages/service/control_client'
import type { ControlApi } from './contract.js'

/** A client of the control API. `url` is the service's base URL, `key` is MAIL_CONTROL_KEY. */
export class MailControlClient extends Client<ControlApi> {}
