import { type RoleProcess, startRoleProcess } from '../../service/tests/role_process.js'
import { VaultControlClient } from '../control/client.js'
import { adoptFolder, stopVaultService } from './test_service.js'

export interface VaultProcess extends RoleProcess {
  control: VaultControlClient
}

const INHERITED = ['VAULT_PORT', 'VAULT_KEY', 'VAULT_CONTROL_KEY', 'VAULT_DATABASE_URL']

/**
 * Starts the service in a separate process. Stops the shared service first, because only one service can use the
 * database.
 */
export async function startVaultProcess(
  folder: string,
  more: NodeJS.ProcessEnv = {}
): Promise<VaultProcess> {
  await stopVaultService()
  adoptFolder(folder)
  const env = { VAULT_FOLDER: folder, VAULT_THREADS: '2', VAULT_RESERVE: '0', ...more }
  const showLog = Boolean(process.env.VAULT_LOG)
  const started = await startRoleProcess('vault', INHERITED, env, showLog)
  const key = process.env.VAULT_CONTROL_KEY!
  return { ...started, control: new VaultControlClient({ url: started.url, key }) }
}
