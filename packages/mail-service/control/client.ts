import { ControlClient as Client } from '#packages/service/control_client'
import type { ControlApi } from './contract.js'

/** Asks the mail service. `url` is where it listens; `key` is MAIL_CONTROL_KEY. */
export class MailControlClient extends Client<ControlApi> {}
