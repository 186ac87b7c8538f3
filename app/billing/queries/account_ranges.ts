import type { ChargeQuery } from '#billing/queries/charges'
import { assertBillingTimeZoneWithSharedLock } from '#core/settings/load_regional_settings'
import { billingTimeZone } from '#core/settings/regional_settings'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Ids above `above`, up to and including `upTo`. */
export interface AccountRange {
  above: string
  upTo: string
}

/**
 * Target number of rows per transaction. Larger batches would hold locks on accounts and bill numbers too
 * long.
 */
export const TARGET_ROWS_PER_TRANSACTION = 10_000
const FIRST_ACCOUNT_ID = '0'
const MAX_ACCOUNT_ID = '9223372036854775807'

export const accountRangeSql = (accounts?: AccountRange) =>
  accounts ? 'and account_id > :above and account_id <= :up_to' : ''

export const accountRangeBindings = (accounts?: AccountRange): Record<string, string> =>
  accounts ? { above: accounts.above, up_to: accounts.upTo } : {}

/**
 * Returns the next accounts that together have about TARGET_ROWS_PER_TRANSACTION rows. Never splits
 * the rows of one account.
 * @param rows a query with an indexed `account_id`
 * @param above last id of the previous range; omitted for the first range
 */
export async function findNextAccountRange(
  { sql, bindings }: ChargeQuery,
  trx: TransactionClientContract,
  above = FIRST_ACCOUNT_ID
): Promise<AccountRange> {
  // Without table statistics, the planner would sort all remaining rows. An ordered index scan stops
  // early.
  const rows = await withPlannerSettings(['seqscan', 'bitmapscan'], trx, () =>
    trx.rawQuery(
      `select account_id from (${sql}) listed where account_id > :above
       order by account_id offset ${TARGET_ROWS_PER_TRANSACTION - 1} limit 1`,
      { ...bindings, above }
    )
  )
  return { above, upTo: rows.rows[0]?.account_id ?? MAX_ACCOUNT_ID }
}

export const isLastRange = ({ upTo }: AccountRange) => upTo === MAX_ACCOUNT_ID

/**
 * Runs `work` for each range of accounts in turn, and locks the regional settings meanwhile. Each
 * range has its own transaction unless `trx` is passed.
 * @param zone billing time zone that the query uses
 * @throws 409 if the billing time zone changes meanwhile
 */
export async function forEachAccountRange(
  rows: ChargeQuery,
  work: (accounts: AccountRange, trx: TransactionClientContract) => Promise<void>,
  trx?: TransactionClientContract,
  zone = billingTimeZone()
): Promise<void> {
  let above: string | undefined
  for (;;) {
    const turn = async (own: TransactionClientContract) => {
      await assertBillingTimeZoneWithSharedLock(zone, own)
      const accounts = await findNextAccountRange(rows, own, above)
      await work(accounts, own)
      return accounts
    }
    const accounts = await (trx ? turn(trx) : db.transaction(turn))
    if (isLastRange(accounts)) return
    above = accounts.upTo
  }
}

/** PostgreSQL has no statistics for a newly filled table, and would scan all of it for each row. */
export const withSequentialScansDisabled = <Result>(
  trx: TransactionClientContract,
  work: () => Promise<Result>
) => withPlannerSettings(['seqscan'], trx, work)

/** Switches off methods of the query planner (PostgreSQL, "Planner Method Configuration"). */
async function withPlannerSettings<Result>(
  ways: ('seqscan' | 'bitmapscan')[],
  trx: TransactionClientContract,
  work: () => Promise<Result>
): Promise<Result> {
  const set = (to: string) =>
    trx.rawQuery(ways.map((way) => `set local enable_${way} to ${to}`).join(';'))
  await set('off')
  const result = await work()
  await set('default')
  return result
}
