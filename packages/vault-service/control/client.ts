import { ControlClient as Client } from '#packages/service/client'
import type { Control } from './contract.js'

export { ControlError, ControlUnreachable } from '#packages/service/client'

/** Asks the vault service. `url` is where it listens; `key` is VAULT_CONTROL_KEY. */
export class ControlClient extends Client<Control> {}
