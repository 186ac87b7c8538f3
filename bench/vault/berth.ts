import pg from 'pg'
import { VaultControlClient } from '#packages/vault-service/control/client'
import { startService } from '../service.js'

export interface BerthVault {
  url: string
  key: string
  headers: Record<string, string>
  id: number
  control: VaultControlClient
  /** Adds objects to a folder. They exist only in the database and have no bytes. */
  fill(folder: string, count: number): Promise<void>
  stop(): Promise<void>
}

/** Starts the vault service as in production, with two threads. */
export function berthVault(): Promise<BerthVault> {
  const more = { VAULT_THREADS: '2', VAULT_RESERVE: '0' }
  return startService('vault', more, async ({ url, env, databaseUrl }) => {
    const control = new VaultControlClient({ url, key: env.VAULT_CONTROL_KEY! })
    const made = { id: 1, accountId: 1, key: 'bench' }
    const { secret } = await control.call('makeVault', made)
    const headers = { 'X-Secret-Key': secret, 'X-Access-Key-Id': '1' }
    const fill = async (folder: string, count: number) => {
      const client = new pg.Client({ connectionString: databaseUrl })
      await client.connect()
      await client.query(
        `insert into vault.objects
           (vault_id, name, store, bodies, sizes, digests, size, etag, type, modified_at)
         select 1, $1 || '/' || lpad(n::text, 7, '0'), 'folder', '{}', '{}', '{}', 0, '', 'x/y', now()
         from generate_series(1, $2::int) n`,
        [folder, count]
      )
      await client.query('analyze vault.objects')
      await client.end()
    }
    return { url, key: made.key, id: made.id, control, headers, fill }
  })
}
