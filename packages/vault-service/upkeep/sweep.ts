import { setTimeout as wait } from 'node:timers/promises'
import type { BodyStorage } from '../store/body_storage.js'
import type { Database } from '../store/database.js'
import type { BodyLocation } from '../types.js'

/** Seconds for which bodies without an object are kept, because a reader may still be reading them. */
const GRACE_SECONDS = 600
const BATCH_ROWS = 1_000

export type BodyStorages = Partial<Record<BodyLocation, BodyStorage>>

const REMOVED_EARLY_MESSAGE =
  'little disk space: removed files that were deleted after the last backup, so a restore to a moment in between may lack them'

interface SweepOptions {
  grace?: number
  signal?: AbortSignal
  log?: (entry: object) => void
}

/**
 * Removes bodies to which no object refers. If backups are scheduled, a body stays until the next backup, so that a
 * restore to any time finds all bodies. If backups fail, it stays at most until `vault.backed_up.until`. If the disk is
 * almost full, bodies do not stay, because otherwise the uploads of all customers would fail. The log mentions this
 * once per run and backend. A row is deleted after its body, so that no body is forgotten after an interruption.
 */
export async function sweepDoomedBodies(
  database: Database,
  stores: BodyStorages,
  { grace = GRACE_SECONDS, signal, log }: SweepOptions = {}
): Promise<number> {
  const early = new Map<string, number>()
  let removed = 0
  try {
    while (!signal?.aborted) {
      const { rows, ready } = await listRemovableBodies(database, stores, grace)
      for (const store of new Set(ready.map((row) => row.store))) {
        const inStore = ready.filter((row) => row.store === store)
        const bodies = inStore.map(({ body }) => body)
        await stores[store]!.remove(bodies)
        await database.rows('delete from vault.doomed where body = any ($1)', [bodies])
        removed += bodies.length
        const earlyBodies = inStore.filter(({ is_early: isEarly }) => isEarly)
        if (earlyBodies.length) early.set(store, (early.get(store) ?? 0) + earlyBodies.length)
      }
      if (rows < BATCH_ROWS || ready.length === 0) break
    }
  } finally {
    for (const [store, bodies] of early) {
      log?.({ level: 40, msg: REMOVED_EARLY_MESSAGE, store, removed: bodies })
    }
  }
  return removed
}

interface DoomedRow {
  body: number
  store: BodyLocation
  /** Whether the body became unused after the last backup, but is removed before the next one. */
  is_early: boolean
}

/** Returns the next batch of bodies to remove. Skips bodies in storage backends that this service does not have. */
async function listRemovableBodies(database: Database, stores: BodyStorages, grace: number) {
  const shortStores = await listShortStores(stores)
  const rows = await database.rows<DoomedRow>(
    `select body, store, at >= safe.until as is_early
     from vault.doomed, (
       select coalesce((select b.at from vault.backed_up b where b.until > now()), 'infinity') as until
     ) safe
     where at < now() - make_interval(secs => $1) and (store = any ($2) or at < safe.until)
     order by at limit ${BATCH_ROWS}`,
    [grace, shortStores]
  )
  return { rows: rows.length, ready: rows.filter(({ store }) => stores[store]) }
}

async function listShortStores(stores: BodyStorages): Promise<string[]> {
  const short = await Promise.all(
    Object.entries(stores).map(async ([name, store]) => ((await store.isShort?.()) ? [name] : []))
  )
  return short.flat()
}

/** Deletes multipart uploads that were not completed within 7 days, and the rows of completed uploads after a day. */
export async function deleteExpiredUploads(database: Database): Promise<void> {
  await database.rows(
    `with gone as (
       delete from vault.uploads
       where completed_at < now() - interval '1 day'
         or (completed_at is null and started_at < now() - interval '7 days')
       returning id, vault_id)
     insert into vault.doomed (body, store, vault_id, size)
     select p.body, p.store, gone.vault_id, p.size from vault.parts p join gone on gone.id = p.upload_id`
  )
}

/**
 * Deletes the objects of deleted vaults, and then the vaults, once their bodies are removed. The usage counts are kept
 * for billing. If `signal` aborts, stops after the current batch. The next run continues.
 */
export async function purgeDeletedVaults(database: Database, signal?: AbortSignal): Promise<void> {
  const vaults = await database.rows<{ id: number }>(
    `select id from vault.vaults where state = 'deleted'`
  )
  for (const { id } of vaults) {
    let gone: object[]
    do {
      if (signal?.aborted) return
      gone = await database.rows(
        `select vault.remove_objects($1, array(
           select o.name from vault.objects o where o.vault_id = $1 limit ${BATCH_ROWS}), null, null)`,
        [id]
      )
    } while (gone.length)
    await database.rows(
      `with gone as (delete from vault.uploads where vault_id = $1 returning id)
       insert into vault.doomed (body, store, vault_id, size)
       select p.body, p.store, $1, p.size from vault.parts p join gone on gone.id = p.upload_id`,
      [id]
    )
    await database.rows(
      `delete from vault.vaults v where v.id = $1
         and not exists (select from vault.objects o where o.vault_id = v.id)
         and not exists (select from vault.doomed d where d.vault_id = v.id)`,
      [id]
    )
  }
}

export interface OrphanSearchResult {
  /** Number of bodies to which the tables refer. */
  expected: number
  /** Number of the expected bodies that exist in the storage backend. */
  present: number
  /** Numbers of the bodies in the storage backend to which no table refers. */
  orphans: number[]
}

/**
 * Finds orphans: bodies that were written, but to which no table refers, for example because the process crashed before
 * it committed the object. Skips bodies younger than `age` (milliseconds, default one hour). Removes nothing.
 * @throws the signal's reason if it stops the search
 */
export async function findOrphans(
  database: Database,
  store: BodyLocation,
  bodies: BodyStorage,
  { age = 3_600_000, signal }: { age?: number; signal?: AbortSignal } = {}
): Promise<OrphanSearchResult> {
  const since = Date.now() - age
  const named = new Numbers()
  await eachNamed(database, store, (body) => named.add(body), signal)
  const expected = named.size
  let present = 0
  const orphans: number[] = []
  for await (const { body, createdAt } of bodies.all()) {
    signal?.throwIfAborted()
    if (named.has(body)) present++
    else if (createdAt.getTime() < since) orphans.push(body)
    if ((present + orphans.length) % BATCH_ROWS === 0) await wait(1)
  }
  return { expected, present, orphans }
}

/**
 * Removes orphans, after it has checked again for each of them that no table refers to it. Returns the number of
 * removed bodies.
 * @throws the signal's reason if it stops the removal
 */
export async function removeOrphans(
  database: Database,
  bodies: BodyStorage,
  orphans: number[],
  signal?: AbortSignal
): Promise<number> {
  let removed = 0
  for (let at = 0; at < orphans.length; at += BATCH_ROWS) {
    signal?.throwIfAborted()
    const some = orphans.slice(at, at + BATCH_ROWS)
    const named = await database.rows<{ body: number }>(
      `select b as body from unnest($1::bigint[]) b where
         exists (select from vault.objects where bodies && array[b])
         or exists (select from vault.parts where body = b)
         or exists (select from vault.doomed where body = b)`,
      [some]
    )
    const keep = new Set(named.map(({ body }) => body))
    const gone = some.filter((body) => !keep.has(body))
    await bodies.remove(gone)
    removed += gone.length
  }
  return removed
}

async function eachNamed(
  database: Database,
  store: BodyLocation,
  each: (body: number) => void,
  signal?: AbortSignal
): Promise<void> {
  await database.transaction(async (client) => {
    await client.query({
      text: `declare named no scroll cursor for
        select unnest(bodies) as body from vault.objects where store = '${store}'
        union all select body from vault.parts where store = '${store}'
        union all select body from vault.doomed where store = '${store}'`,
    })
    for (;;) {
      signal?.throwIfAborted()
      const { rows } = await client.query<{ body: number }>('fetch 10000 from named')
      for (const { body } of rows) each(body)
      if (rows.length === 0) return
    }
  })
}

/** A compact set of numbers that are close together. Uses one bit for each number. */
class Numbers {
  readonly #pages = new Map<number, Uint8Array>()
  size = 0

  add(number: number): void {
    const page = Math.floor(number / 8_192)
    let bits = this.#pages.get(page)
    if (!bits) this.#pages.set(page, (bits = new Uint8Array(1_024)))
    const at = number % 8_192
    const bit = 1 << (at & 7)
    if (!(bits[at >> 3] & bit)) this.size++
    bits[at >> 3] |= bit
  }

  has(number: number): boolean {
    const at = number % 8_192
    const bits = this.#pages.get(Math.floor(number / 8_192))
    return bits !== undefined && (bits[at >> 3] & (1 << (at & 7))) !== 0
  }
}
