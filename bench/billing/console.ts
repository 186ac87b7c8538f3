/** The console of the benches `billing` and `pages`: fills its database and does what its parent asks for. */
import { ignite } from '../../bin/ignite.js'
import { timed } from '../frame.js'

interface Asked {
  id: number
  what: string
  given: Record<string, unknown>
}

// What is asked for before the application is there waits for it.
const ready = Promise.withResolvers<(asked: Asked) => void>()
process.on('message', (message: Partial<Asked>) => {
  if (typeof message.id === 'number') void ready.promise.then((take) => take(message as Asked))
})

const app = ignite().createApp('web')
await app.init()
await app.boot()
await app.start(() => {})

const { default: db } = await import('@adonisjs/lucid/services/db')
const { chargeAll } = await import('#billing/charging/run_billing')
const { makeBills } = await import('#billing/charging/make_bills')
const { DateTime } = await import('luxon')

const now = DateTime.fromISO('2026-11-01T13:00', { zone: 'Asia/Dhaka' })

/** Accounts, and what each used of two meters in the month before. */
async function customers({ customers: many }: { customers: number }): Promise<void> {
  await db.rawQuery(
    `insert into people (id, audience, name, email)
     select 1000000 + n, 'customer', 'Customer ' || n, 'customer-' || n || '@example.com'
     from generate_series(1, ?) n`,
    [many]
  )
  await db.rawQuery(
    `insert into accounts (id, name, status) select 1000000 + n, 'Customer ' || n, 'active'
     from generate_series(1, ?) n on conflict do nothing`,
    [many]
  )
  await db.rawQuery(
    `insert into usage_events (account_id, meter, quantity, thing, source, at)
     select 1000000 + n, meter, 1000 + n % 9000, 'vault:' || n, meter || ':' || n,
       timestamptz '2026-10-15T12:00Z'
     from generate_series(1, ?) n, (values ('vault.requests'), ('mail.sent')) meters (meter)`,
    [many]
  )
  await db.rawQuery('analyze')
}

/** The same totals by one statement, into a table that is made like the bills and taken away again. */
async function statement(): Promise<number> {
  await db.rawQuery(`create temporary table totals (id bigint generated always as identity primary key,
    account_id bigint not null, thing text not null, amount numeric(18, 6) not null)`)
  return timed(() =>
    db.rawQuery(
      `insert into totals (account_id, thing, amount)
       select account_id, thing, sum(round(quantity * case meter when 'mail.sent' then 0.0004 else 0.0001 end, 6))
       from usage_events where at >= timestamp '2026-10-01' at time zone 'Asia/Dhaka'
         and at < timestamp '2026-11-01' at time zone 'Asia/Dhaka'
       group by account_id, thing`
    )
  )
}

const answers: Record<string, (given: never) => Promise<unknown>> = {
  hello: async () => true,
  customers,
  statement,
  bill: () =>
    timed(async () => {
      await chargeAll(now)
      await makeBills(now)
    }),
  bills: async () => Number((await db.from('bills').count('* as total'))[0].total),
}

ready.resolve(({ id, what, given }) => {
  answers[what](given as never).then(
    (result) => process.send!({ id, result: result ?? null }),
    (error: Error) => process.send!({ id, error: error.stack ?? error.message })
  )
})
