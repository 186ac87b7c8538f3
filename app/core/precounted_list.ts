import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** A part of a table. A trigger counts its rows (decision 0036). */
export interface PrecountedList {
  list: string
  /** Value by which the trigger separates lists. Empty: the table is one list. */
  scope: string
}

export interface ListPosition {
  counts: Record<string, number>
  /** Number of the requested page, or of the last one if the requested one does not exist. */
  page: number
  /** Id at which the scan starts. `null`: no rows. */
  bound: number | null
  rest: number
}

/**
 * Finds a page in id order without reading the rows before it. Reads counts and position in one snapshot.
 * @param wanted statuses that the list shows
 * @param upwards oldest first
 */
export async function findListPosition(
  { list, scope }: PrecountedList,
  wanted: string[],
  { page, length }: { page: number; length: number },
  upwards: boolean,
  trx?: TransactionClientContract
): Promise<ListPosition> {
  const { rows } = await (trx ?? db).rawQuery(
    'select * from list_place(?, ?, ?::text[], ?, ?, ?)',
    [list, scope, wanted, page, length, upwards]
  )
  const [{ counts, bound, ...place }] = rows
  return {
    counts,
    page: Number(place.page),
    bound: bound === null ? null : Number(bound),
    rest: Number(place.rest),
  }
}

/**
 * Adds recorded changes to the counts in one transaction, so that readers see no partial state. One process
 * does it at a time.
 */
export async function aggregateListCounts(): Promise<void> {
  await db.transaction(async (trx) => {
    const lock = `select pg_try_advisory_xact_lock(hashtextextended('lists.fold', 0)) as got`
    const { rows } = await trx.rawQuery(lock)
    if (!rows[0].got) return
    await trx.rawQuery(
      `with taken as (delete from list_deltas returning *)
       insert into list_counts (list, scope, level, bucket, status, n)
       select list, scope, level, (bucket << 10) >> level, status, sum(n)
       from taken cross join (values (10), (15)) levels (level)
       group by 1, 2, 3, 4, 5 having sum(n) <> 0
       on conflict (list, scope, level, bucket, status) do update set n = list_counts.n + excluded.n`
    )
  })
}
