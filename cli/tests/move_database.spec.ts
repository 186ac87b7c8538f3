import { test } from '@japa/runner'
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  assertNoOtherConnections,
  assertSameTables,
  moveTables,
  parseMoveTarget,
  removeCopy,
  type MoveDatabaseTarget,
} from '../database/move_database.js'
import { assertSpaceForCopy } from '../database/disk_space.js'
import { listenForInterruption } from '../database/interruption.js'
import { connectForCopy, copyTables, digestTables } from '../database/copy_tables.js'
import { openHome, type BerthHome } from '../berth_home.js'
import { assertCanReplaceCluster, replaceCluster } from '../postgres/replace_cluster.js'
import {
  externalServerFile,
  readExternalServer,
  saveExternalServer,
} from '../postgres/external_server.js'
import { findRealPostgresFolder } from '../postgres/cluster_folder.js'
import { openDatabase } from '../postgres/open_database.js'
import { withDatabaseClient, type BerthDatabase } from '../postgres/connections.js'
import { findFreePorts, commonProcessEnv } from '../roles.js'
import { migrateDatabase } from '../ace_commands.js'
import { runOrThrow } from '../run_program.js'
import { pollUntil } from './poll_until.js'
import { listSyncedPaths, withSync } from './synced_paths.js'

const CREATE_TABLE_SQL = `
  create table odd (id bigint generated always as identity, half numeric, bytes bytea, said jsonb,
    at timestamptz, names text[], twice numeric generated always as (half * 2) stored);
  create table days (day date) partition by range (day);
`
const INSERT_ROWS_SQL = `
  insert into odd (half, bytes, said, at, names) values
    (0.1000, '\\x00ff', '{"a": [1, "é"]}', 'infinity', '{"a,b",NULL,"\\\\n"}'),
    (-1e-9, '', 'null', '2026-02-28 23:59:59.123456+06', '{}'),
    (null, null, null, null, null);
  create table days_1 partition of days for values from ('2026-11-24') to ('2026-11-25');
  insert into days values ('2026-11-24');
`

test.group('Moving the database', (group) => {
  let home: BerthHome
  let source: BerthDatabase
  let target: MoveDatabaseTarget
  let server: (database: string) => string
  const undo: (() => Promise<unknown>)[] = []

  async function embedded(): Promise<{ home: BerthHome; database: BerthDatabase }> {
    const folder = await mkdtemp(join(tmpdir(), 'berth-move-'))
    const opened = await openHome(join(folder, 'home'))
    const database = await openDatabase(opened, { fast: true, env: {} })
    undo.push(async () => {
      await database.stop()
      const data = await findRealPostgresFolder(opened.path)
      if (data) await rm(data, { recursive: true, force: true })
      await rm(folder, { recursive: true, force: true })
    })
    return { home: opened, database }
  }

  const owner = <Row extends pg.QueryResultRow>(sql: string, url = source.ownerUrl) =>
    withDatabaseClient(url, async (client) => (await client.query<Row>(sql)).rows)
  const emptied = () =>
    withDatabaseClient(server('postgres'), async (client) => {
      await client.query('drop database if exists berth with (force)')
      const roles = ['berth_app', 'berth_vault', 'berth_mail', 'berth']
      for (const role of roles) await client.query(`drop role if exists ${role}`)
    })
  const left = () =>
    owner<{ name: string }>(
      `select datname as name from pg_database where datname = 'berth'
       union all select rolname from pg_roles where rolname like 'berth%'`,
      server('postgres')
    )

  group.each.timeout(600_000)
  group.setup(async () => {
    ;({ home, database: source } = await embedded())
    const env = commonProcessEnv({
      home,
      database: source,
      ports: await findFreePorts(),
      mode: 'test',
      env: {},
    })
    await migrateDatabase({ home, database: source, env, from: 'sources', always: true })

    const other = await embedded()
    const { port } = new URL(other.database.ownerUrl)
    const { databaseSuperuser } = other.home.secrets
    server = (name) => `postgres://postgres:${databaseSuperuser}@127.0.0.1:${port}/${name}`
    const withoutPassword = await parseMoveTarget(`postgres://postgres@127.0.0.1:${port}`)
    target = { ...withoutPassword, superuser: server }
    return async () => {
      for (const each of undo.reverse()) await each()
    }
  })
  group.each.setup(() => emptied())

  test('the move is rejected while another program is connected, or if it would overwrite data', async ({
    assert,
  }) => {
    const other = new pg.Client({ connectionString: source.appUrl, application_name: 'second' })
    await other.connect()
    await assert.rejects(() => moveTables(home, source, target), /connected.*second/)
    await other.end()
    await owner('create role berth_vault', server('postgres'))
    await assert.rejects(
      () => moveTables(home, source, target),
      /already exist at .*: role berth_vault/
    )
    assert.isUndefined(readExternalServer(home))
  })

  test('programs that are just disconnecting and the server’s own processes do not block the move', async ({
    assert,
  }) => {
    const leaving = new pg.Client({ connectionString: source.appUrl })
    await leaving.connect()
    const left = sleep(500).then(() => leaving.end())
    await assertNoOtherConnections(source)
    await left

    const { port } = new URL(source.ownerUrl)
    const here = `postgres://postgres:${home.secrets.databaseSuperuser}@127.0.0.1:${port}/postgres`
    await owner(`create table dusty with (autovacuum_vacuum_threshold = 0,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 100,
      autovacuum_vacuum_cost_limit = 1) as select n from generate_series(1, 100000) n`)
    await owner('update dusty set n = 0')
    await owner(`alter system set autovacuum_naptime = '1s'`, here)
    try {
      await owner('select pg_reload_conf()', here)
      const vacuuming = () =>
        owner(
          `select 1 from pg_stat_activity
           where datname = 'berth' and backend_type = 'autovacuum worker'`,
          here
        )
      await pollUntil(async () => (await vacuuming()).length > 0)
      await assertNoOtherConnections(source, 0)
      assert.isNotEmpty(await vacuuming())
    } finally {
      await owner('alter system reset autovacuum_naptime', here)
      await owner('select pg_reload_conf()', here)
      await owner('drop table dusty')
    }
  })

  test('unusual values, generated columns and sequences are copied exactly', async ({ assert }) => {
    const { port } = new URL(source.ownerUrl)
    const here = (name: string) =>
      `postgres://postgres:${home.secrets.databaseSuperuser}@127.0.0.1:${port}/${name}`
    const scratch: pg.Client[] = []
    for (const at of [here, server]) {
      await owner('create database scratch', at('postgres'))
      scratch.push(await connectForCopy(at('scratch')))
    }
    const [from, into] = scratch
    await from.query(CREATE_TABLE_SQL + INSERT_ROWS_SQL)
    await assert.rejects(() => copyTables(from, into), /days/)
    await into.query(CREATE_TABLE_SQL)
    await into.query('insert into odd (half) values (7)')
    await copyTables(from, into)
    const was = await digestTables(from)
    assert.equal(was['public.odd'].rows, 3)
    assert.equal(was['public.days_1'].rows, 1)
    assertSameTables(was, await digestTables(into))
    const [{ id }] = (
      await into.query<{ id: string }>('insert into odd default values returning id')
    ).rows
    assert.equal(id, '4')
    await into.query('delete from odd where id = 4')
    assertSameTables(was, await digestTables(into))
    await into.query(`update odd set said = '{"a": [1, "e"]}' where id = 1`)
    const is = await digestTables(into)
    assert.throws(() => assertSameTables(was, is), 'These tables differ after copying: public.odd')
    await Promise.all(scratch.map((client) => client.end()))
  })

  test('a copy that fails is not used and leaves nothing behind', async ({ assert }) => {
    // Migrations create the tables on the other server, so a table that was created by hand is missing there.
    await owner('create table by_hand (id int)')
    await assert.rejects(() => moveTables(home, source, target), /lacks public\.by_hand/)
    await owner('drop table by_hand')
    assert.isUndefined(readExternalServer(home))
    assert.deepEqual(await left(), [])
  })

  test('an interrupted copy stops at once and leaves nothing at the target, and the move can be repeated', async ({
    assert,
  }) => {
    await owner(`insert into settings (key, value)
      select 'bulk-' || n, '"x"' from generate_series(1, 400000) n`)
    const controller = new AbortController()
    const interruption = { signal: controller.signal, commit: () => {} }
    const moving = moveTables(home, source, target, interruption).then(
      () => undefined,
      (error: Error) => error
    )
    const copying = `select 1 from pg_stat_activity
      where datname = 'berth' and query like 'copy public.settings%' and state = 'active'`
    await pollUntil(async () => (await owner(copying, server('postgres'))).length > 0)
    controller.abort(new Error('Interrupted'))
    assert.equal((await moving)?.message, 'Interrupted')
    assert.deepEqual(await left(), [])
    assert.isUndefined(readExternalServer(home))
    await owner(`delete from settings where key like 'bulk-%'`)
    await moveTables(home, source, target)
  })

  test('a signal aborts a move that is not yet committed, but never ends the process', ({
    assert,
  }) => {
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
    const known = signals.map((name) => process.listeners(name))
    const first = listenForInterruption()
    // Calls only the newest listener, because the test runner's own listener would end the process.
    const send = (name: (typeof signals)[number]) => process.listeners(name).at(-1)!(name)
    for (const name of signals) assert.doesNotThrow(() => send(name))
    assert.isTrue(first.signal.aborted)
    assert.throws(() => first.commit(), /interrupted.*old data stay in use/)
    first.stopListening()
    const second = listenForInterruption()
    second.commit()
    send('SIGINT')
    assert.isFalse(second.signal.aborted)
    second.stopListening()
    assert.deepEqual(
      signals.map((name) => process.listeners(name)),
      known
    )
  })

  test('during a move, Ctrl-C does not reach the programs that the move starts, and an output error does not end the move', async ({
    assert,
  }) => {
    const outputs = [process.stdout, process.stderr]
    const countListeners = () => outputs.map((output) => output.listenerCount('error'))
    const hasOwnGroup = async () => {
      const [pid, , , , group] = (await runOrThrow(['cat', '/proc/self/stat'])).split(' ')
      return group === pid
    }
    const known = countListeners()
    const interruption = listenForInterruption()
    interruption.commit()
    assert.isTrue(await hasOwnGroup())
    assert.deepEqual(
      countListeners(),
      known.map((count) => count + 1)
    )
    interruption.stopListening()
    assert.isFalse(await hasOwnGroup())
    assert.deepEqual(countListeners(), known)
  })

  test('a copy that does not fit on the disk is not started', async ({ assert }) => {
    const free = (bytes: number) => assertSpaceForCopy(source, '/srv/new', async () => bytes)
    await assert.rejects(() => free(1024 ** 3), /1\.0 GB free, 1\.\d GB needed.*Nothing was moved/)
    await free(2 * 1024 ** 3)
    await assertSpaceForCopy(source, undefined, () => assert.fail('asked another machine'))
  })

  test('all rows are copied, and then the home uses the new server', async ({ assert }) => {
    await owner(`insert into settings (key, value) values ('moved', '"yes"')`)
    const all = 'select key, value from settings order by key'
    const before = await owner(all)
    // Simulates the queue of an earlier release, which belongs to `berth_app`.
    await owner('create schema pgboss; grant usage, create on schema pgboss to berth_app')
    const job = `create table pgboss.job (name text, state text);
      insert into pgboss.job values ('system-mail', 'created')`
    await owner(job, source.appUrl)
    await assert.rejects(() => moveTables(home, source, target), /left emails in its queue/)
    assert.deepEqual(await left(), [])
    await owner(`update pgboss.job set state = 'completed'`, source.appUrl)
    await moveTables(home, source, target)
    assert.isUndefined(readExternalServer(home))
    await target.adopt(home)
    const opened = await openDatabase(home, { env: {} })
    assert.deepEqual(
      await owner(
        `select count(tablename)::int as tables from pg_namespace
         left join pg_tables on schemaname = nspname where nspname = 'pgboss' group by nspname`,
        opened.ownerUrl
      ),
      [{ tables: 0 }]
    )
    assert.equal(new URL(opened.ownerUrl).host, target.at)
    assert.deepEqual(await owner(all, opened.ownerUrl), before)
    assert.deepInclude(before, { key: 'moved', value: 'yes' })
    assert.deepEqual(await owner(all), before)

    // `removeCopy` must remove the copy only if the home does not use it.
    await removeCopy(home, target)
    assert.isNotEmpty(await left())
    await rm(externalServerFile(home))
    await removeCopy(home, target)
    assert.deepEqual(await left(), [])
  })

  test('the new data replaces the home’s data, even if the replacement is interrupted and repeated', async ({
    assert,
    cleanup,
  }) => {
    const path = await mkdtemp(join(tmpdir(), 'berth-move-'))
    cleanup(() => rm(path, { recursive: true }))
    const at = (name: string) => join(path, name)
    const moved = { ...home, path }
    for (const name of ['postgres', 'postgres-new']) await mkdir(at(name))
    await writeFile(at('postgres-new/mark'), '')
    await writeFile(at('database.json'), '{"at":"127.0.0.1:1","options":""}')
    const synced = await listSyncedPaths(() => replaceCluster(moved))
    assert.deepEqual(synced, [path, path])
    assert.sameMembers(await readdir(path), ['postgres', 'postgres-old'])
    assert.deepEqual(await readdir(at('postgres')), ['mark'])
    assert.throws(() => assertCanReplaceCluster(moved), /postgres-old has the data from before/)
    await rm(at('postgres-old'), { recursive: true })
    await assert.rejects(() => replaceCluster(moved), /folder with the new data is missing/)
    assert.deepEqual(await readdir(path), ['postgres'])
    await rename(at('postgres'), at('postgres-ready'))
    await replaceCluster(moved)
    assert.deepEqual(await readdir(at('postgres')), ['mark'])
  })

  test('a replacement of the data succeeds even if the disk cannot sync', async ({
    assert,
    cleanup,
  }) => {
    const path = await mkdtemp(join(tmpdir(), 'berth-move-'))
    cleanup(() => rm(path, { recursive: true }))
    for (const name of ['postgres', 'postgres-new']) await mkdir(join(path, name))
    await writeFile(join(path, 'postgres-new/mark'), '')
    const fail = () => Promise.reject(new Error('EIO: i/o error, fsync'))
    await withSync(fail, () => replaceCluster({ ...home, path }))
    assert.sameMembers(await readdir(path), ['postgres', 'postgres-old'])
    assert.deepEqual(await readdir(join(path, 'postgres')), ['mark'])
  })

  test('the address of the new server is synced to disk before the server is used', async ({
    assert,
    cleanup,
  }) => {
    const path = await mkdtemp(join(tmpdir(), 'berth-move-'))
    cleanup(() => rm(path, { recursive: true }))
    const server = { at: '127.0.0.1:1', options: '' }
    const synced = await listSyncedPaths(() => saveExternalServer({ ...home, path }, server))
    assert.lengthOf(synced, 2)
    assert.match(synced[0]!, /database\.json\..*\.new$/)
    assert.equal(synced[1], path)
  })

  test('a password in the command’s arguments is rejected', async ({ assert }) => {
    await assert.rejects(() => parseMoveTarget('postgres://postgres:word@127.0.0.1'), /PGPASSWORD/)
    await assert.rejects(() => parseMoveTarget('mysql://127.0.0.1'), /--to needs/)
    assert.equal((await parseMoveTarget('postgres://me@db:5433/?sslmode=require')).at, 'db:5433')
  })
})
