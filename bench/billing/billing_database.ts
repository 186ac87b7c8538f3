import { type ConsoleProcess } from './with_console_process.js'
import { measureMs } from '../measurement.js'
import pg from 'pg'

/** Tables that a billing run writes, in the order of their foreign keys. */
const BILLING_TABLES = ['bills', 'bill_charges', 'ledger_transfers']
const MAIL_TABLES = ['bill_mails', 'outbox_mails']

/**
 * The benchmark's database. Fills and checks it, and runs the statements of the reference. Connects as the role that
 * owns the tables.
 */
export class BillingDatabase {
  #client: pg.Client

  constructor(readonly console: Pick<ConsoleProcess, 'ownerUrl'>) {
    this.#client = new pg.Client({ connectionString: console.ownerUrl })
  }

  async open(): Promise<this> {
    await this.#client.connect()
    return this
  }

  close(): Promise<void> {
    return this.#client.end()
  }

  /** Creates accounts, each with an owner and a usage event of each of two meters. */
  async fill(customers: number): Promise<void> {
    // Creates the trigram indexes last. Updating them for each row would take longer than everything else.
    const { rows: words } = await this.#client.query<{ name: string; sql: string }>(
      `select indexname as name, indexdef as sql from pg_indexes
       where tablename in ('people', 'accounts') and indexdef like '%gin_trgm_ops%'`
    )
    for (const { name } of words) await this.#client.query(`drop index ${name}`)
    const all = `generate_series(1, ${customers}) n`
    for (const sql of [
      `update settings set value = to_jsonb(timestamptz '2026-01-01') where key = 'billing_from'`,
      `insert into people (id, audience, name, email)
       select 1000000 + n, 'customer', 'Customer ' || n, 'customer-' || n || '@example.com' from ${all}`,
      `insert into accounts (id, name, status)
       select 1000000 + n, 'Customer ' || n, 'active' from ${all}`,
      `insert into members (account_id, person_id, role)
       select 1000000 + n, 1000000 + n, 'owner' from ${all}`,
      `insert into usage_events (account_id, meter, quantity, thing, source, at, created_at)
       select 1000000 + n, meter, 1000 + n % 9000, 'vault:' || n, meter || ':' || n, at, at
       from ${all}, (values ('vault.requests'), ('mail.accepted')) meters (meter),
         cast('2026-10-15T12:00Z' as timestamptz) at`,
      ...words.map(({ sql }) => sql),
      'analyze people, accounts, members, usage_events',
    ])
      await this.#client.query(sql)
  }

  /**
   * Computes the same totals as a billing run, with one statement, into a temporary table. Returns the duration in
   * milliseconds.
   */
  async totals(): Promise<number> {
    await this.#client.query(`
      create temporary table totals (id bigint generated always as identity primary key,
        account_id bigint not null, thing text not null, amount numeric(18, 6) not null)`)
    return measureMs(() =>
      this.#client.query(`
        insert into totals (account_id, thing, amount)
        select account_id, thing, sum(round(quantity * case meter when 'mail.accepted' then 0.0004 else 0.0001 end, 6))
        from usage_events where at >= timestamp '2026-10-01' at time zone 'Asia/Dhaka'
          and at < timestamp '2026-11-01' at time zone 'Asia/Dhaka'
        group by account_id, thing`)
    )
  }

  /**
   * Checks the rows that a billing run wrote. Returns their number. Call `totals` first.
   * @throws Error if the number of rows does not match the customers, or a bill has a wrong amount
   */
  async check(customers: number): Promise<number> {
    const { rows } = await this.#client.query<Record<string, string>>(`
      select (select count(*) from bills) as bills, (select count(*) from ledger_transfers) as books,
        (select count(*) from bill_charges where bill_id is not null) as charges,
        (select count(*) from outbox_mails) as mails,
        (select count(*) from totals full join bills using (account_id)
          where totals.amount is distinct from bills.amount) as wrong,
        (select max(right(number, -7)::bigint) from bills) as last`)
    const [{ bills, books, charges, mails, wrong, last }] = rows
    const made = [bills, books, mails, last, Number(charges) / 2].map(Number)
    if (Number(wrong) > 0 || made.some((many) => many !== customers)) {
      throw new Error(`${customers} customers, but ${JSON.stringify(rows[0])}`)
    }
    return Number(bills) + Number(books) + Number(charges) + Number(mails)
  }

  /**
   * Copies the rows that a billing run has written, with one statement for each table. The new tables have the same
   * indexes, checks and foreign keys. Computes nothing. Returns the duration in milliseconds.
   */
  async copy(which: 'billed' | 'told'): Promise<number> {
    const tables = { billed: BILLING_TABLES, told: MAIL_TABLES }[which]
    await this.#client.query('create schema if not exists bare')
    for (const table of tables) {
      await this.#client.query(`create table bare.${table} (like ${table} including all)`)
      const { rows } = await this.#client.query<{ sql: string }>(
        `select pg_get_constraintdef(oid) as sql from pg_constraint
         where contype = 'f' and conrelid = $1::regclass`,
        [table]
      )
      for (const { sql } of rows) {
        const ours = sql.replace(/REFERENCES (bills)\(/, 'REFERENCES bare.$1(')
        await this.#client.query(`alter table bare.${table} add ${ours}`)
      }
    }
    return measureMs(async () => {
      for (const table of tables) {
        await this.#client.query(`insert into bare.${table} select * from ${table}`)
      }
    })
  }
}

/**
 * Simulates another client, which repeatedly locks an account, as an order or a payment does, and reads its bills.
 * @returns a function that stops the client and returns its longest wait in milliseconds
 */
export async function startConcurrentClient(
  url: string,
  customers: number
): Promise<() => Promise<number>> {
  const client = new pg.Client({ connectionString: url })
  // Ignores errors: if the run fails, the database server stops while this client is still connected.
  client.on('error', () => {})
  await client.connect()
  let [longest, over] = [0, false]
  const looking = async () => {
    for (let turn = 0; !over; turn++) {
      const id = 1_000_001 + ((turn * 7_919) % customers)
      const took = await measureMs(async () => {
        await client.query('begin')
        await client.query('select id from accounts where id = $1 for update', [id])
        await client.query('select * from bills where account_id = $1 order by id desc limit 10', [
          id,
        ])
        await client.query('commit')
      })
      longest = Math.max(longest, took)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const going = looking().catch(() => {})
  return async () => {
    over = true
    await going
    await client.end()
    return longest
  }
}
