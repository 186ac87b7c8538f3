import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { BodyMissingError, type BodyStorage } from '../store/body_storage.js'
import type { Database } from '../store/database.js'
import { toStoredObject, type ObjectRow } from '../store/listing.js'
import type { StoredObject } from '../types.js'
import type { BodyStorages } from './sweep.js'

/** Reading speed of the scrub, about 20 TB in a week. It is low, because requests of customers have priority. */
export const SCRUB_BYTES_PER_SECOND = 32 * 1_024 ** 2
const BATCH_ROWS = 100
/** A broken connection to another S3 server must not make an object count as unreadable. */
const READ_ATTEMPTS = 3
const READ_RETRY_DELAY_MS = 1_000

/** `unreadable`: the disk or the other S3 server returns an error for this object, for example for a bad sector. */
export type DamageKind = 'missing' | 'damaged' | 'unreadable'

interface ScrubbedRow extends ObjectRow {
  /** Time of the object's entry in `vault.findings`. */
  found_at: Date | null
}

/**
 * Verifies the bytes of all objects against the digests that were computed when the objects were written. Resumes at
 * the stored position. `rate` is in bytes per second. Damaged objects are listed in `vault.findings` until they are
 * overwritten or deleted, or until a later scrub finds them undamaged. `signal` stops the scrub even within an object.
 * The next run reads that object again.
 * @throws Error if a storage backend as a whole fails. The next run resumes at the object that could not be read
 */
export async function scrub(
  database: Database,
  stores: BodyStorages,
  { rate = SCRUB_BYTES_PER_SECOND, signal }: { rate?: number; signal?: AbortSignal } = {}
): Promise<void> {
  const position = await beginOrGoOn(database)
  let { vaultId, name } = position
  for (;;) {
    const rows = await database.rows<ScrubbedRow>(
      `select o.*, f.found_at from vault.objects o left join vault.findings f using (vault_id, name)
       where (o.vault_id, o.name) > ($1, $2)
       order by o.vault_id, o.name limit ${BATCH_ROWS}`,
      [vaultId, name]
    )
    if (rows.length === 0) break
    try {
      for (const { found_at: foundAt, ...row } of rows) {
        const object = toStoredObject(row)
        const started = Date.now()
        const damage = await findDamage(object, stores, signal)
        if (signal?.aborted) break
        if (damage) await recordDamage(database, object, damage)
        else if (foundAt && stores[object.store]) await removeFinding(database, object, foundAt)
        ;({ vaultId, name } = object)
        const rest = Math.max((object.size / rate) * 1_000 - (Date.now() - started), 0)
        await wait(rest, undefined, { signal }).catch(() => {})
      }
    } finally {
      await database.rows('update vault.scrub set vault_id = $1, name = $2', [vaultId, name])
    }
    if (signal?.aborted) return
  }
  await database.rows('update vault.scrub set ended_at = now()')
}

/** Records that an object is damaged, and returns true, unless it was overwritten or deleted since the check. */
export async function recordDamage(
  database: Database,
  object: StoredObject,
  kind: DamageKind
): Promise<boolean> {
  const rows = await database.rows(
    `insert into vault.findings (vault_id, name, kind, body)
     select o.vault_id, o.name, $3, coalesce(o.bodies[1], 0) from vault.objects o
     where o.vault_id = $1 and o.name = $2 and o.bodies = $4::bigint[]
     on conflict (vault_id, name) do update set kind = excluded.kind, found_at = now()
     returning name`,
    [object.vaultId, object.name, kind, object.bodies]
  )
  return rows.length === 1
}

/** Removes the finding of an undamaged object, unless a reader has reported it again after `at`. */
async function removeFinding(database: Database, object: StoredObject, at: Date): Promise<void> {
  await database.rows(
    'delete from vault.findings where vault_id = $1 and name = $2 and found_at = $3',
    [object.vaultId, object.name, at]
  )
}

async function beginOrGoOn(database: Database): Promise<{ vaultId: number; name: string }> {
  await database.rows('insert into vault.scrub (one) values (true) on conflict do nothing')
  await database.rows(
    `update vault.scrub set started_at = now(), ended_at = null, vault_id = 0, name = ''
     where started_at is null or ended_at is not null`
  )
  const row = await database.row<{ vault_id: number; name: string }>('select * from vault.scrub')
  return { vaultId: row!.vault_id, name: row!.name }
}

/**
 * Checks an object's bytes. Returns undefined if they are undamaged, if the signal stops the check, or if the object's
 * storage backend is not configured.
 * @throws Error if the storage backend as a whole fails
 */
export async function findDamage(
  object: StoredObject,
  stores: BodyStorages,
  signal?: AbortSignal
): Promise<DamageKind | undefined> {
  const bodies = stores[object.store]
  // The object's storage backend is not configured, so the object cannot be checked.
  if (!bodies) return undefined
  for (let attempt = 1; ; attempt++) {
    const damage = await damageOf(object, bodies, signal)
    if (damage !== 'unreadable' || attempt === READ_ATTEMPTS) return damage
    await wait(READ_RETRY_DELAY_MS, undefined, { signal }).catch(() => {})
  }
}

async function damageOf(
  object: StoredObject,
  bodies: BodyStorage,
  signal?: AbortSignal
): Promise<DamageKind | undefined> {
  if (signal?.aborted) return undefined
  for (const [at, body] of object.bodies.entries()) {
    const md5 = createHash('md5')
    try {
      const range = { start: 0, end: object.sizes[at] - 1 }
      for await (const chunk of bodies.read(body, range)) {
        if (signal?.aborted) return undefined
        md5.update(chunk as Buffer)
      }
    } catch (error) {
      if (error instanceof BodyMissingError) return 'missing'
      await bodies.check()
      return 'unreadable'
    }
    if (md5.digest('hex') !== object.digests[at]) return 'damaged'
  }
  return undefined
}
