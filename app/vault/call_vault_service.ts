import { invalid, AppError } from '#core/app_error'
import { vaultServiceUnavailable } from '#vault/errors'
import env from '#start/env'
import { VaultControlClient, ControlError } from '#packages/vault-service/control/client'
import type {
  ControlInput,
  ControlName,
  ControlOutput,
} from '#packages/vault-service/control/contract'

/**
 * Timeouts of requests that may take long, such as deletions of many objects. The default is shorter, because people
 * wait for the response.
 */
const TIMEOUTS_MS: Partial<Record<ControlName, number>> = {
  removeFolder: 120_000,
  removeFiles: 60_000,
}
const DEFAULT_TIMEOUT_MS = 10_000

/** @throws 503 if no service is configured */
function client(timeout: number): VaultControlClient {
  const [url, key] = [env.get('VAULT_CONTROL_URL'), env.get('VAULT_CONTROL_KEY')]
  if (!url || !key) throw vaultServiceUnavailable()
  return new VaultControlClient({ url, key: key.release(), timeout })
}

/**
 * Calls the vault service, which stores the content of vaults (packages/vault-service).
 * @throws the service's 4xx error, or 503 if it is not configured, does not respond or responds with a 5xx status
 */
export async function callVaultService<Name extends ControlName>(
  name: Name,
  input: ControlInput<Name>
): Promise<ControlOutput<Name>> {
  try {
    return await client(TIMEOUTS_MS[name] ?? DEFAULT_TIMEOUT_MS).call(name, input)
  } catch (error) {
    if (error instanceof AppError) throw error
    if (!(error instanceof ControlError)) throw vaultServiceUnavailable(error)
    if (error.code === 'name') throw invalid({ name: error.message })
    throw new AppError(error.code, error.status, error.message, { cause: error })
  }
}
