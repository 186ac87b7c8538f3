import { ControlClient as Client } from '#packages/service/control_client'
import type { ControlApi } from './contract.js'

/** Client for the mail service. `url` is its base URL, `key` is MAIL_CONTROL_KEY. */
export class MailControlClient extends Client<ControlApi> {}
