import type { BodyStorage } from '../store/body_storage.js'
import type { Database } from '../store/database.js'
import type { ChangeCounters } from '../store/change_counters.js'
import { toStoredObject, type ObjectRow } from '../store/listing.js'
import type { StoredObject, BodyStorageName } from '../types.js'
import { findDamage, recordDamage } from './scrub.js'
import type { BodyStorages } from './sweep.js'

const BATCH_ROWS = 50
/**
 * Time after which a damaged object is copied again. Moves run every minute, and each attempt reads the whole object.
 */
const DAMAGE_RETRY_INTERVAL = '1 day'

/**
 * Moves objects to the storage backend that is set for their vault. Copies and verifies each body. Then one statement
 * makes the object use the copy, unless the object was overwritten meanwhile. So objects can be read at any time. Small
 * bodies stay in the database. Damaged objects stay where they are. They are logged, and listed in `vault.findings`.
 * Returns the number of moved objects.
 * @throws the signal's reason if it stops the copy of an object; Error if one of the two backends as a whole fails
 */
export async function moveObjectsToVaultStore(
  database: Database,
  generations: ChangeCounters,
  stores: BodyStorages,
  newNumber: () => Promise<number>,
  { signal, log }: { signal?: AbortSignal; log?: (entry: object) => void } = {}
): Promise<number> {
  let moved = 0
  let [vaultId, name] = [0, '']
  for (;;) {
    const rows = await database.rows<ObjectRow & { target: BodyStorageName }>(
      `select o.*, v.store as target from vault.objects o join vault.vaults v on v.id = o.vault_id
       where o.store not in (v.store, 'rows') and v.state <> 'deleted' and (o.vault_id, o.name) > ($1, $2)
         and not exists (
           select from vault.findings f where f.vault_id = o.vault_id and f.name = o.name
             and f.found_at > now() - interval '${DAMAGE_RETRY_INTERVAL}')
       order by o.vault_id, o.name limit ${BATCH_ROWS}`,
      [vaultId, name]
    )
    if (rows.length === 0) return moved
    for (const { target, ...row } of rows) {
      if (signal?.aborted) return moved
      const object = toStoredObject(row)
      ;({ vaultId, name } = object)
      const [from, to] = [stores[object.store], stores[target]]
      if (!from || !to) continue
      const copy = await copyBodies(object, from, to, newNumber, signal)
      if (!copy) {
        const damage = await findDamage(object, stores, signal)
        if (damage && (await recordDamage(database, object, damage))) {
          const msg = `an object was not moved, because its content is ${damage}`
          log?.({ level: 40, msg, vault: vaultId, name, from: object.store, to: target })
        }
      } else if (await changeOver(database, object, target, copy)) moved++
      else await to.remove(copy)
      generations.bump(object.vaultId, object.name)
    }
  }
}

/**
 * Returns the numbers of the new bodies, or undefined if the stored bodies cannot be read or do not have their digests.
 * If it does not return new bodies, it tries to remove those that it wrote.
 */
async function copyBodies(
  object: StoredObject,
  from: BodyStorage,
  to: BodyStorage,
  newNumber: () => Promise<number>,
  signal?: AbortSignal
): Promise<number[] | undefined> {
  const newBodies: number[] = []
  let isUnread = false
  try {
    for (const [at, body] of object.bodies.entries()) {
      const number = await newNumber()
      const stored = from.read(body, { start: 0, end: object.sizes[at] - 1 })
      const source = reportError(stored, () => (isUnread = true))
      const { md5 } = await to.write(number, source, signal)
      newBodies.push(number)
      if (md5 === object.digests[at]) continue
      await to.remove(newBodies)
      return undefined
    }
  } catch (error) {
    // Removes the parts that were already copied. Otherwise they would remain until the daily search for orphans.
    await to.remove(newBodies).catch(() => {})
    if (!isUnread || signal?.aborted) throw error
    return undefined
  }
  return newBodies
}

/** Distinguishes an error of the source from an error of the storage backend that writes its bytes. */
async function* reportError(
  source: AsyncIterable<Buffer>,
  onError: () => void
): AsyncIterable<Buffer> {
  try {
    yield* source
  } catch (error) {
    onError()
    throw error
  }
}

async function changeOver(
  database: Database,
  object: StoredObject,
  store: string,
  bodies: number[]
): Promise<boolean> {
  const rows = await database.rows(
    `with changed as (
       update vault.objects set store = $3, bodies = $4::bigint[]
       where vault_id = $1 and name = $2 and bodies = $5::bigint[] returning name
     ), doomed as (
       insert into vault.doomed (body, store) select b, $6 from unnest($5::bigint[]) b
       where exists (select from changed)
     ) select name from changed`,
    [object.vaultId, object.name, store, bodies, object.bodies, object.store]
  )
  return rows.length === 1
}
