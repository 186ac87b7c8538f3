import { mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import type { Database } from '../store/database.js'
import { FolderSync } from '../store/folder_sync.js'
import { RECORD_BYTES, parseJournalRecords, type MeteredRequest } from './journal.js'

const MAX_READ_BYTES = 32_768 * RECORD_BYTES

/**
 * Adds the records of the journal files to the usage tables. Each record is added exactly once, because the same
 * transaction stores the position in the file. Only one process may do this (`../database_lock.ts`). `run` returns the
 * IDs of the changed vaults.
 */
export class UsageAggregator {
  readonly #database: Database
  readonly #folder: string
  readonly #log: (entry: object) => void
  readonly #syncFolder: FolderSync

  constructor(database: Database, folder: string, log: (entry: object) => void = () => {}) {
    this.#database = database
    this.#folder = folder
    this.#log = log
    this.#syncFolder = new FolderSync(folder)
  }

  /**
   * Marks the files of threads that no longer run as complete, so that they are deleted after they were read. Call it
   * before new threads start.
   */
  async begin(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#folder)) {
      if (!name.endsWith('.done'))
        await rename(join(this.#folder, name), join(this.#folder, `${name}.done`))
    }
    const names = (await readdir(this.#folder)).map((name) => name.replace('.done', ''))
    // Completes an earlier deletion: a crash may have happened after a file was deleted, and before its row was.
    await this.#syncFolder.sync()
    await this.#database.rows('delete from vault.journals where name <> all ($1)', [names])
  }

  async run(): Promise<Set<number>> {
    const vaults = new Set<number>()
    for (const name of await readdir(this.#folder)) {
      while (await this.#foldSome(name, vaults));
    }
    return vaults
  }

  async #foldSome(file: string, vaults: Set<number>): Promise<boolean> {
    const path = join(this.#folder, file)
    const name = file.replace('.done', '')
    const stats = await stat(path).catch(() => undefined)
    if (!stats) return false
    const known = await this.#database.row<{ folded: number }>(
      'select folded from vault.journals where name = $1',
      [name]
    )
    const folded = known?.folded ?? 0
    // With an older release, a power failure could leave a file shorter than the part that was already counted.
    const length = Math.max(0, Math.min(MAX_READ_BYTES, stats.size - folded))
    const bytes = await readAt(path, folded, length)
    const whole = bytes.subarray(0, bytes.length - (bytes.length % RECORD_BYTES))
    if (whole.length === 0) {
      if (!file.endsWith('.done')) return false
      if (stats.size < folded) {
        const msg = 'a file of request counts is shorter than its counted part'
        this.#log({ level: 40, msg, file: name, counted: folded, size: stats.size })
      }
      await this.#forget(path, name)
      return false
    }
    const sums = sumUp(parseJournalRecords(whole))
    await this.#database.transaction(async (client) => {
      await addUp(client, sums)
      await client.query(
        `insert into vault.journals (name, folded) values ($1, $2)
         on conflict (name) do update set folded = excluded.folded`,
        [name, folded + whole.length]
      )
    })
    for (const { vaultId } of sums) vaults.add(vaultId)
    return true
  }

  /**
   * Deletes a journal file durably, and then its row with the position. A row without a file is harmless. The records
   * of a file without a row would be counted again.
   */
  async #forget(path: string, name: string): Promise<void> {
    await unlink(path)
    await this.#syncFolder.sync()
    await this.#database.rows('delete from vault.journals where name = $1', [name])
  }
}

/**
 * Syncs the file to disk, then reads bytes of it. So the position in PostgreSQL is never beyond the part of the file
 * that survives a power failure.
 */
async function readAt(path: string, from: number, length: number): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0)
  const file = await open(path, 'r')
  try {
    await file.datasync()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

function sumUp(records: Iterable<MeteredRequest>): MeteredRequest[] {
  const sums = new Map<string, MeteredRequest>()
  for (const record of records) {
    // After a power failure, parts of a file that were not written in time contain zeros.
    if (!record.vaultId) continue
    const at = `${record.vaultId} ${record.day}`
    const sum = sums.get(at)
    if (!sum) sums.set(at, record)
    else {
      sum.requests += record.requests
      sum.bytesIn += record.bytesIn
      sum.bytesOut += record.bytesOut
    }
  }
  return [...sums.values()]
}

async function addUp(client: pg.PoolClient, sums: MeteredRequest[]): Promise<void> {
  const column = <Key extends keyof MeteredRequest>(key: Key) => sums.map((sum) => sum[key])
  await client.query(
    `insert into vault.usage as u (vault_id, account_id, day, requests, bytes_in, bytes_out)
     select v, a, date '1970-01-01' + d, r, i, o
     from unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::bigint[], $6::bigint[]) as s (v, a, d, r, i, o)
     order by v, d
     on conflict (vault_id, day) do update set requests = u.requests + excluded.requests,
       bytes_in = u.bytes_in + excluded.bytes_in, bytes_out = u.bytes_out + excluded.bytes_out`,
    [
      column('vaultId'),
      column('accountId'),
      column('day'),
      column('requests'),
      column('bytesIn'),
      column('bytesOut'),
    ]
  )
}
