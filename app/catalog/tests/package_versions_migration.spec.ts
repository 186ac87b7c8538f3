import { nextRenewal } from '#catalog/next_renewal'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const specifications = JSON.stringify({ vcpu: { value: 1 } })
const pricing = JSON.stringify([
  { period: 'month', price: '5.00', renew: '4.125', billing_cycle: 1 },
  { period: 'year', price: '50.00', renew: '45.00', billing_cycle: 12 },
])
const monthly = JSON.stringify([{ period: 'month', price: '3', renew: '2', billing_cycle: 1 }])

test.group('A resource sold before package versions existed', () => {
  test('keeps its specifications and price as version 1, and is billed from its creation', async ({
    assert,
  }) => {
    const { default: Migration } = await import('#database/migrations/0080_what_is_sold')
    const trx = await db.connection('owner').transaction()
    try {
      await trx.rawQuery('create schema before_versions')
      await trx.rawQuery('set local search_path to before_versions, public')
      for (const statement of [
        'create table people (id bigint primary key)',
        `create table server_packages (id bigint primary key, specifications jsonb, pricing jsonb)`,
        `create table server_instances (id bigint primary key, customer_id bigint references people,
          server_package_id bigint references server_packages, status text, billing_period text,
          created_at timestamptz, deletion_asked_at timestamptz, unique (id, customer_id))`,
        'insert into people values (7), (8)',
      ]) {
        await trx.rawQuery(statement)
      }
      await trx.table('server_packages').multiInsert([
        { id: 1, specifications, pricing },
        { id: 2, specifications, pricing: monthly },
        { id: 3, specifications, pricing },
      ])
      const instance = (id: number, change: object) => ({
        id,
        customer_id: 7,
        server_package_id: 1,
        status: 'active',
        billing_period: 'month',
        created_at: '2026-01-31T05:00:00Z',
        deletion_asked_at: null,
        ...change,
      })
      await trx
        .table('server_instances')
        .multiInsert([
          instance(1, {}),
          instance(2, { customer_id: 8, billing_period: 'year', status: 'stopped' }),
          instance(3, { status: 'deleted' }),
          instance(4, { status: 'failed', deletion_asked_at: '2026-03-01T00:00:00Z' }),
          instance(5, { server_package_id: 2, billing_period: 'year', status: 'pending' }),
        ])
      await new Migration(trx, 'what_is_sold', false).execUp()

      const versions = await trx.from('package_versions').orderBy('server_package_id')
      assert.deepEqual(
        versions.map((row) => [Number(row.server_package_id), row.number, row.pricing]),
        [
          [1, 1, JSON.parse(pricing)],
          [2, 1, JSON.parse(monthly)],
          [3, 1, JSON.parse(pricing)],
        ]
      )
      const instances = await trx.from('server_instances').orderBy('id')
      const versionOf = (id: number) =>
        versions.find((row) => Number(row.server_package_id) === id)!
      assert.deepEqual(
        instances.map((row) => row.package_version_id),
        [1, 1, 1, 1, 2].map((id) => versionOf(id).id)
      )

      const rows = await trx.from('subscriptions').orderBy('subject_id')
      assert.deepEqual(
        rows.map((row) => [
          Number(row.subject_id),
          Number(row.account_id),
          row.period,
          Number(row.price),
          Number(row.renewal_price),
          row.end_reason,
        ]),
        [
          [1, 7, 'month', 5, 4.125, null],
          [2, 8, 'year', 50, 45, null],
          [4, 7, 'month', 5, 4.125, 'deleted'],
          // This customer's package is no longer sold by the year.
          [5, 7, 'year', 36, 24, null],
        ]
      )
      for (const row of rows) {
        const anchor = DateTime.fromISO('2026-01-31T05:00:00Z')
        const until = DateTime.fromJSDate(row.ended_at ?? new Date())
        assert.equal(row.started_at.getTime(), anchor.toMillis())
        assert.equal(row.renews_at.getTime(), nextRenewal(anchor, row.period, until).toMillis())
      }
    } finally {
      await trx.rollback()
    }
  })
})
