import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** A list whose rows are counted as they change: its table, and which part of it (decision 0036). */
export interface PrecountedList {
  list: string
  /** What the table's trigger tells parts by; empty where it is one list. */
  scope: string
}

/** Where a page of a counted list begins. */
export interface ListPosition {
  /** Status key to rows. */
  counts: Record<string, number>
  /** The page, or the last one for one beyond. */
  page: number
  /** Rows from this id on; null where there are none. */
  bound: number | null
  /** How many of those come before the page. */
  rest: number
}

/**
 * Finds a page in the order of ids without reading the rows before it; counts and place are of one moment.
 * @param wanted statuses of which the page is
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
 * Adds what was appended to the counts; readers see it before or after, never in between. One at a time:
 * who comes meanwhile leaves it to the other.
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
