import { ControlClient as Client } from '#packages/service/control_client'
import type { ControlApi } from './contract.js'

export { ControlError, ControlUnreachableError } from '#packages/service/control_client'

/** `url` is the service's base URL, `key` is VAULT_CONTROL_KEY. */
export class VaultControlClient extends Client<ControlApi> {}
