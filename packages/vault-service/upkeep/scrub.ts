import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { BodyMissingError } from '../store/body_storage.js'
import type { Database } from '../store/database.js'
import { toStoredObject, type ObjectRow } from '../store/listing.js'
import type { StoredObject } from '../types.js'
import type { BodyStorages } from './sweep.js'

/** Reading speed of the scrub, about 20 TB in a week. It is low, because requests of customers have priority. */
export const SCRUB_BYTES_PER_SECOND = 32 * 1_024 ** 2
const BATCH_ROWS = 100

export type DamageKind = 'missing' | 'damaged'

/**
 * Verifies the bytes of all objects against the digests that were computed when the objects were written. Resumes at
 * the stored position. `rate` is in bytes per second. Damaged objects are listed in `vault.findings` until they are
 * overwritten or deleted. `signal` stops the scrub even within an object. The next run reads that object again.
 */
export async function scrub(
  database: Database,
  stores: BodyStorages,
  { rate = SCRUB_BYTES_PER_SECOND, signal }: { rate?: number; signal?: AbortSignal } = {}
): Promise<void> {
  const position = await beginOrGoOn(database)
  let { vaultId, name } = position
  for (;;) {
    const rows = await database.rows<ObjectRow>(
      `select * from vault.objects where (vault_id, name) > ($1, $2)
       order by vault_id, name limit ${BATCH_ROWS}`,
      [vaultId, name]
    )
    if (rows.length === 0) break
    for (const object of rows.map(toStoredObject)) {
      const started = Date.now()
      const damage = await damageOf(object, stores, signal)
      if (signal?.aborted) break
      if (damage) await recordDamage(database, object, damage)
      ;({ vaultId, name } = object)
      const rest = Math.max((object.size / rate) * 1_000 - (Date.now() - started), 0)
      await wait(rest, undefined, { signal }).catch(() => {})
    }
    await database.rows('update vault.scrub set vault_id = $1, name = $2', [vaultId, name])
    if (signal?.aborted) return
  }
  await database.rows('update vault.scrub set ended_at = now()')
}

/** Records that an object is damaged, unless it has been overwritten since the check. */
export async function recordDamage(
  database: Database,
  object: StoredObject,
  kind: DamageKind
): Promise<void> {
  await database.rows(
    `insert into vault.findings (vault_id, name, kind, body)
     select o.vault_id, o.name, $3, coalesce(o.bodies[1], 0) from vault.objects o
     where o.vault_id = $1 and o.name = $2 and o.bodies = $4::bigint[]
     on conflict (vault_id, name) do update set kind = excluded.kind, found_at = now()`,
    [object.vaultId, object.name, kind, object.bodies]
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

/** Checks an object's bytes. Returns undefined if they are undamaged, or if the signal stops the check. */
async function damageOf(
  object: StoredObject,
  stores: BodyStorages,
  signal?: AbortSignal
): Promise<DamageKind | undefined> {
  const bodies = stores[object.store]
  // The object's storage backend is not configured, so the object cannot be checked.
  if (!bodies) return undefined
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
      throw error
    }
    if (md5.digest('hex') !== object.digests[at]) return 'damaged'
  }
  return undefined
}
