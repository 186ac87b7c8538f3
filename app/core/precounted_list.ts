import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** The rows of a table that belong to one list. A database trigger counts them (decision 0036). */
export interface PrecountedList {
  list: string
  /** Value by which the trigger separates several lists of the table. Empty: the whole table is one list. */
  scope: string
}

export interface ListPosition {
  counts: Record<string, number>
  /** Number of the requested page, or of the last one if the requested one does not exist. */
  page: number
  /** Id at which the scan starts. `null`: no rows. */
  bound: number | null
  /** Number of rows to skip from `bound` on. */
  rest: number
}

/**
 * Finds where a page of a list starts in id order, so that a scan need not read all rows before it. Reads counts and
 * position in one snapshot.
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
 * Adds the changes that the triggers have recorded to the counts. One transaction does it, so that readers see no
 * partial state. Only one process does it at a time.
 */
export async function applyListCountChanges(): Promise<void> {
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
