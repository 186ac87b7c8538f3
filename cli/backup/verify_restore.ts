import { createHash, createHmac } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { SecretCipher } from '../../packages/service/secret_encryption.js'
import { bodiesFolder } from '../../packages/vault-service/folders.js'
import { bodyPath } from '../../packages/vault-service/store/folder_body_storage.js'
import type { Secrets } from '../berth_home.js'

export interface TableChecksum {
  rows: number
  /** Does not depend on the order of the rows. */
  sum: string
}

/**
 * Excludes tables that the role `berth_app` owns (the queue of earlier releases). The checksum casts rows to text as
 * superuser, and such a cast could run functions that this role has created.
 */
const LIST_TABLES_SQL = `
  select format('%I.%I', n.nspname, c.relname) as name from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'r' and c.relpersistence = 'p'
    and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^pg_'
    and pg_get_userbyid(c.relowner) <> 'berth_app'
  order by 1`

/** Returns quoted names. */
export async function listTables(client: pg.Client): Promise<string[]> {
  return (await client.query<{ name: string }>(LIST_TABLES_SQL)).rows.map(({ name }) => name)
}

export async function checksumTables(
  client: pg.Client,
  onProgress: (table: number, of: number) => void = () => {}
): Promise<Map<string, TableChecksum>> {
  // Makes the text of values independent of the two servers' settings.
  await client.query(`set timezone = 'UTC'; set datestyle = 'ISO'; set extra_float_digits = 3;
    set intervalstyle = 'postgres'; set bytea_output = 'hex'`)
  const sums = new Map<string, TableChecksum>()
  const names = await listTables(client)
  for (const [at, name] of names.entries()) {
    onProgress(at, names.length)
    const { rows } = await client.query<TableChecksum>(
      `select count(*)::float8 as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as sum
       from ${name} t`
    )
    sums.set(name, rows[0])
  }
  return sums
}

export function listTableDifferences(
  one: Map<string, TableChecksum>,
  other: Map<string, TableChecksum>
): string[] {
  return [...new Set([...one.keys(), ...other.keys()])].sort().flatMap((name) => {
    const [a, b] = [one.get(name), other.get(name)]
    if (!a || !b) return [`${name} exists only in ${a ? 'the original' : 'the restored database'}`]
    if (a.rows !== b.rows) return [`${name} has ${b.rows} rows instead of ${a.rows}`]
    return a.sum === b.sum ? [] : [`${name} has different rows`]
  })
}

const PAGE_ROWS = 1_000

interface Body {
  vault_id: number
  name: string
  store: string
  bodies: string[]
  digests: string[]
}

export interface VaultFilesResult {
  objects: number
  externalObjects: number
  wrong: string[]
}

/**
 * Reads every file to which the vault's database refers, and compares its digest with the one computed at the upload.
 * Only counts objects in other storage backends, such as S3.
 * @param folder folder of the vault service
 */
export async function verifyVaultFiles(
  client: pg.Client,
  folder: string,
  onProgress: (objects: number) => void = () => {}
): Promise<VaultFilesResult> {
  const result: VaultFilesResult = { objects: 0, externalObjects: 0, wrong: [] }
  let last: Pick<Body, 'vault_id' | 'name'> = { vault_id: 0, name: '' }
  for (;;) {
    const { rows } = await client.query<Body>(
      `select vault_id, name, store, bodies::text[] as bodies, digests from vault.objects
       where (vault_id, name) > ($1, $2) order by vault_id, name limit ${PAGE_ROWS}`,
      [last.vault_id, last.name]
    )
    if (!rows.length) return result
    for (const row of rows) await compareObject(client, folder, row, result)
    last = rows.at(-1)!
    onProgress(result.objects)
  }
}

async function compareObject(
  client: pg.Client,
  folder: string,
  row: Body,
  result: VaultFilesResult
) {
  if (!['folder', 'rows'].includes(row.store)) return void result.externalObjects++
  const seen = await Promise.all(
    row.bodies.map((body) =>
      row.store === 'rows' ? digestOfRow(client, body) : digest(folder, body)
    )
  )
  if (seen.every((each, at) => each === row.digests[at])) result.objects++
  else result.wrong.push(`object ${row.name} of vault ${row.vault_id}`)
}

async function digestOfRow(client: pg.Client, body: string): Promise<string | undefined> {
  const { rows } = await client.query<{ md5: string }>(
    'select md5(bytes) as md5 from vault.bodies where body = $1',
    [body]
  )
  return rows[0]?.md5
}

async function digest(folder: string, body: string): Promise<string | undefined> {
  const md5 = createHash('md5')
  return pipeline(createReadStream(bodyPath(bodiesFolder(folder), Number(body))), md5).then(
    () => md5.digest('hex'),
    () => undefined
  )
}

const ENCRYPTED_COLUMNS_SQL = {
  vault: `select secret as sealed from vault.keys union all select link_key from vault.vaults`,
  mail: `select secret as sealed from mail.keys union all select private_key from mail.dkim_keys
    union all select secret from mail.webhooks`,
}

/**
 * Decrypts all secrets of the vault and the mail service. For the console's secrets, compares only the hash of the key.
 * @returns the number of decrypted values, and descriptions of the values that could not be decrypted
 */
export async function verifySecrets(
  client: pg.Client,
  secrets: Secrets
): Promise<{ opened: number; wrong: string[] }> {
  const mark = createHmac('sha256', secrets.appKey).update('berth').digest('hex')
  const { rows } = await client.query<{ value: string }>(
    `select value #>> '{}' as value from settings where key = 'key_mark'`
  )
  const wrong = rows.some(({ value }) => value !== mark)
    ? ['the encrypted values of the console']
    : []
  let opened = 0
  for (const [name, sql] of Object.entries(ENCRYPTED_COLUMNS_SQL)) {
    const seal = new SecretCipher(
      `berth ${name}`,
      name === 'vault' ? secrets.vaultKey : secrets.mailKey
    )
    const { rows: sealed } = await client.query<{ sealed: string }>(sql)
    for (const each of sealed) {
      try {
        seal.decrypt(each.sealed)
        opened++
      } catch {
        wrong.push(`a secret of ${name}`)
      }
    }
  }
  return { opened, wrong }
}
