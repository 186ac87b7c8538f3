import type { ChargeQuery } from '#billing/queries/charges'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Accounts by their numbers: above one, up to and with another. */
export interface AccountRange {
  above: string
  upTo: string
}

/** Rows of one transaction, more only where one account has more: others wait for its accounts and numbers. */
export const ACCOUNT_BATCH_ROWS = 10_000
const FIRST_ACCOUNT_ID = '0'
const MAX_ACCOUNT_ID = '9223372036854775807'

/** SQL of whose rows are meant, where `account_id` is read; with `accountRangeBindings`. */
export const accountRangeSql = (accounts?: AccountRange) =>
  accounts ? 'and account_id > :above and account_id <= :up_to' : ''

export const accountRangeBindings = (accounts?: AccountRange): Record<string, string> =>
  accounts ? { above: accounts.above, up_to: accounts.upTo } : {}

/**
 * The next accounts after some, as many as have ACCOUNT_BATCH_ROWS rows together.
 * @param rows a question whose `account_id` an index has in order
 * @param above where those before ended; nothing at first
 */
export async function findNextAccountRange(
  { sql, bindings }: ChargeQuery,
  trx: TransactionClientContract,
  above = FIRST_ACCOUNT_ID
): Promise<AccountRange> {
  // Read in order and no further than that: without statistics the planner would sort all that is left.
  const rows = await withPlannerSettings(['seqscan', 'bitmapscan'], trx, () =>
    trx.rawQuery(
      `select account_id from (${sql}) listed where account_id > :above
       order by account_id offset ${ACCOUNT_BATCH_ROWS - 1} limit 1`,
      { ...bindings, above }
    )
  )
  return { above, upTo: rows.rows[0]?.account_id ?? MAX_ACCOUNT_ID }
}

export const isLastRange = ({ upTo }: AccountRange) => upTo === MAX_ACCOUNT_ID

/** Does something with all accounts, some after others, each time in a transaction of its own unless there is one. */
export async function forEachAccountRange(
  rows: ChargeQuery,
  work: (accounts: AccountRange, trx: TransactionClientContract) => Promise<void>,
  trx?: TransactionClientContract
): Promise<void> {
  let above: string | undefined
  for (;;) {
    const turn = async (own: TransactionClientContract) => {
      const accounts = await findNextAccountRange(rows, own, above)
      await work(accounts, own)
      return accounts
    }
    const accounts = await (trx ? turn(trx) : db.transaction(turn))
    if (isLastRange(accounts)) return
    above = accounts.upTo
  }
}

/**
 * Has what some accounts have read by index: of a table that was empty a moment ago nothing is known, and the
 * planner would read all of it for each row.
 */
export const withIndexScans = <Result>(
  trx: TransactionClientContract,
  work: () => Promise<Result>
) => withPlannerSettings(['seqscan'], trx, work)

/** Does something while PostgreSQL plans without some of its ways to read (its "Planner Method Configuration"). */
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
