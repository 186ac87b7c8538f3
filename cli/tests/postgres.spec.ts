import { readFileSync } from 'node:fs'
import { link, mkdtemp, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import pg from 'pg'
import { openHome, type BerthHome } from '../berth_home.js'
import { findRealPostgresFolder, inspectPostgresCluster } from '../postgres/cluster_folder.js'
import { hardLinkedFilesWarning } from '../postgres/server.js'
import { openDatabase } from '../postgres/open_database.js'
import { selectRows, type BerthDatabase } from '../postgres/connections.js'
import { isRunning, pollUntil } from './poll_until.js'

async function serverPid(home: BerthHome): Promise<number> {
  const folder = await findRealPostgresFolder(home.path)
  return Number(readFileSync(join(folder!, 'data/postmaster.pid'), 'utf8').split('\n')[0])
}

async function run(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

test.group('embedded PostgreSQL', (group) => {
  let home: BerthHome
  const opened: BerthDatabase[] = []

  group.setup(async () => {
    // Other users cannot enter this folder. So this tests the more difficult case, in which the database's system user
    // cannot enter the home.
    const folder = await mkdtemp(join(tmpdir(), 'berth-postgres-'))
    home = await openHome(join(folder, 'home'))
    return async () => {
      for (const database of opened) await database.stop()
      const data = await findRealPostgresFolder(home.path)
      if (data) await rm(data, { recursive: true, force: true })
      await rm(folder, { recursive: true, force: true })
    }
  })

  const open = async () => {
    const database = await openDatabase(home, { fast: true, env: {} })
    opened.push(database)
    return database
  }

  test('the server starts, a second start uses the running server, and the data is kept after a stop', async ({
    assert,
  }) => {
    const first = await open()
    const pid = await serverPid(home)
    await run(first.ownerUrl, 'create table notes (words text)')
    await run(first.appUrl, `insert into notes values ('kept')`)

    const second = await open()
    assert.include(second.description, 'already running')
    assert.equal(second.appUrl, first.appUrl)
    await second.stop()
    assert.isTrue(isRunning(pid))

    await first.stop()
    assert.isFalse(isRunning(pid))
    assert.isUndefined(await hardLinkedFilesWarning(home))
    // Creates a hard link to a database file, as the upgrade of an earlier release did for equal files.
    const folder = (await findRealPostgresFolder(home.path))!
    const file = join(folder, 'data/global/pg_filenode.map')
    const before = await stat(file)
    await link(file, join(folder, 'equal'))
    assert.include(await hardLinkedFilesWarning(home), 'hard-linked 1 database files')
    // The server's system user can change this link, so backups must not run programs to which it leads.
    await symlink(join(folder, 'equal'), join(folder, 'programs'))
    const { native } = await inspectPostgresCluster(home)
    assert.include(native, 'native')
    const third = await open()
    assert.deepEqual(await selectRows(third.appUrl, 'select words from notes'), [{ words: 'kept' }])
    const { ino, nlink, mode, uid, gid } = await stat(file)
    assert.notEqual(ino, before.ino)
    assert.deepEqual([nlink, mode, uid, gid], [1, before.mode, before.uid, before.gid])
    assert.isUndefined(await hardLinkedFilesWarning(home))
    await third.stop()
  })

  test('the server restarts after it is killed', async ({ assert }) => {
    const database = await open()
    const pid = await serverPid(home)
    process.kill(pid, 'SIGKILL')
    await pollUntil(() =>
      selectRows(database.appUrl, 'select 1')
        .then(() => serverPid(home))
        .then(
          (now) => now !== pid,
          () => false
        )
    )
    await database.stop()
    assert.isFalse(isRunning(pid))
  })

  test('the console’s role can use tables, but cannot create tables or schemas', async ({
    assert,
  }) => {
    const database = await open()
    await run(database.ownerUrl, 'create table owned (id int generated always as identity)')
    await run(database.appUrl, 'insert into owned default values')
    await assert.rejects(() => run(database.appUrl, 'drop table owned'), /must be owner/)
    for (const made of ['table own (id int)', 'schema postgres', 'schema berth_vault']) {
      await assert.rejects(() => run(database.appUrl, `create ${made}`), /permission denied/)
    }
    await database.stop()
  })

  test('a wrong password is rejected', async ({ assert }) => {
    const database = await open()
    const wrong = new URL(database.appUrl)
    wrong.password = 'wrong'
    await assert.rejects(() => run(wrong.href, 'select 1'), /password authentication failed/)
    await database.stop()
  })

  test('neither the process list nor a log contains a secret', async ({ assert }) => {
    const database = await open()
    const pid = await serverPid(home)
    const seen = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'))
    seen.push(readFileSync(join(home.logs, 'postgres.log'), 'utf8'))
    for (const secret of Object.values(home.secrets)) assert.notInclude(seen.join('\n'), secret)
    await database.stop()
  })
})
