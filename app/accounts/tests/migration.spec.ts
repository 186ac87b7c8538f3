import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const before = [
  `create table people (id bigint primary key, audience text, name text, default_instance_id bigint,
     created_at timestamptz default now(), updated_at timestamptz default now())`,
  `create table server_instances (id bigint primary key, customer_id bigint not null,
     constraint server_instances_customer_id_foreign foreign key (customer_id) references people (id),
     constraint server_instances_owned unique (id, customer_id))`,
  ...['domains', 'projects'].map(
    (table) => `create table ${table} (id bigint primary key, customer_id bigint not null,
       server_instance_id bigint,
       constraint ${table}_customer_id_foreign foreign key (customer_id) references people (id))`
  ),
  'create table audit_entries (id bigint primary key, customer_id bigint)',
  'create table operations (id bigint primary key, owner_id bigint)',
  'create table port_leases (port int primary key, server_instance_id bigint not null)',
  `insert into people values (5, 'staff', 'Mate', null), (7, 'customer', 'Quay', 1),
     (8, 'customer', 'Lost', 99)`,
  'insert into server_instances values (1, 7), (2, 8)',
  'insert into domains values (1, 7, 1)',
  'insert into projects values (1, 8, 2)',
  'insert into audit_entries values (1, 7), (2, null)',
  'insert into operations values (1, 8), (2, null)',
  'insert into port_leases values (20001, 1)',
]

test.group('Migration to accounts', () => {
  test('gives each customer an account, and can be reverted', async ({ assert }) => {
    const { default: Migration } = await import('#database/migrations/0100_accounts')
    const trx = await db.connection('owner').transaction()
    const all = async (table: string, columns: string) =>
      (await trx.from(table).orderBy(columns.split(',')[0]).select(columns.split(','))).map((row) =>
        Object.values(row).map((value) => (/^\d+$/.test(String(value)) ? Number(value) : value))
      )
    try {
      await trx.rawQuery('create schema before_accounts')
      await trx.rawQuery('set local search_path to before_accounts')
      for (const statement of before) await trx.rawQuery(statement)
      await new Migration(trx, 'accounts', false).execUp()
      assert.deepEqual(await all('accounts', 'id,name,status'), [
        [7, 'Quay', 'active'],
        [8, 'Lost', 'active'],
      ])
      // Person 8's default instance (99) does not exist, so the new member has none.
      assert.deepEqual(await all('members', 'account_id,person_id,role,default_instance_id'), [
        [7, 7, 'owner', 1],
        [8, 8, 'owner', null],
      ])
      assert.deepEqual(await all('audit_entries', 'id,account_id'), [
        [1, 7],
        [2, null],
      ])
      assert.deepEqual(await all('operations', 'id,account_id'), [
        [1, 8],
        [2, null],
      ])
      assert.deepEqual(await all('port_leases', 'port,account_id'), [[20001, 7]])
      assert.deepEqual(await all('projects', 'id,account_id'), [[1, 8]])

      await new Migration(trx, 'accounts', false).execDown()
      assert.deepEqual(await all('people', 'id,default_instance_id'), [
        [5, null],
        [7, 1],
        [8, null],
      ])
      assert.deepEqual(await all('server_instances', 'id,customer_id'), [
        [1, 7],
        [2, 8],
      ])
      assert.deepEqual(await all('operations', 'id,owner_id'), [
        [1, 8],
        [2, null],
      ])
    } finally {
      await trx.rollback()
    }
  })
})
