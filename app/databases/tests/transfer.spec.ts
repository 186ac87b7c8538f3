import { startDatabaseBackup } from '#databases/actions/start_database_backup'
import Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { type DamagedObject, parseDumpErrors } from '#databases/mysql/transfer/damaged_objects'
import { createTemporaryUser } from '#databases/mysql/connect'
import { openDumpStream } from '#databases/mysql/transfer/dump_stream'
import { mysqlTransfer } from '#databases/mysql/transfer/driver'
import {
  backupMinuteOfNight,
  startNightlyBackups,
} from '#databases/schedules/start_nightly_backups'
import { pruneDroppedDatabaseBackups } from '#databases/schedules/prune_dropped_database_backups'
import type { DatabaseListPage } from '#databases/transformers/page_props'
import { managedServer, accountPrefix } from '#databases/servers/resolve_database_server'
import { syncServer } from '#databases/servers/sync_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { startBreakableProxy } from '#databases/tests/breakable_proxy'
import { withDataLock } from '#databases/transfer/data_lock'
import { storageFolderPath } from '#databases/transfer/file_store'
import { lockForUpload, startImport } from '#databases/transfer/exclusive_imports'
import { cancelOperation, RetryLater } from '#core/operations/operations'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { AppError } from '#core/app_error'
import { breakLock } from '#tests/support/break_lock'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'

let mariadb: Mariadb

const OLD_DUMP = `
CREATE TABLE parents (id INT PRIMARY KEY, name VARCHAR(40)) ENGINE=InnoDB;
CREATE TABLE goods (id INT AUTO_INCREMENT PRIMARY KEY, parent INT, picture BLOB, FOREIGN KEY (parent) REFERENCES parents (id));
CREATE TABLE noted (what VARCHAR(80)) COLLATE utf8mb4_uca1400_as_ci;
INSERT INTO parents VALUES (1, 'old — ভাষা 🚢');
INSERT INTO goods VALUES (1, 1, 0x00FF270A5C);
CREATE VIEW upper_view AS SELECT id FROM goods;
CREATE VIEW lower_view AS SELECT id FROM upper_view;
DELIMITER $$
CREATE TRIGGER noting AFTER INSERT ON goods FOR EACH ROW BEGIN INSERT INTO noted VALUES ('old; trigger'); END$$
CREATE PROCEDURE act() BEGIN SELECT 'old'; END$$
CREATE FUNCTION version_of() RETURNS VARCHAR(9) DETERMINISTIC RETURN 'old'$$
CREATE EVENT yearly ON SCHEDULE EVERY 1 YEAR DO DELETE FROM noted$$
SET sql_mode = 'ORACLE'$$
CREATE PACKAGE pack AS FUNCTION one RETURN INT; END$$
CREATE PACKAGE BODY pack AS FUNCTION one RETURN INT AS BEGIN RETURN LENGTH('old'); END; END$$
DELIMITER ;
`
const NEW_DUMP = OLD_DUMP.replaceAll('old', 'new').replace(
  'CREATE TABLE noted',
  'CREATE TABLE added (id INT);\nCREATE TABLE noted'
)

function send(
  visitor: Visitor,
  path: string,
  fields: Record<string, string>,
  file?: [string, Buffer | string]
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  if (file) form.append('file', new Blob([file[1] as never]), file[0])
  return visitor.fetch(path, { method: 'POST', body: form })
}

async function someone() {
  const customer = await makeCustomer()
  const visitor = await signIn(customer)
  const name = `${accountPrefix(customer.id)}shop`
  await mariadb.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`)
  const database = await Database.create({
    accountId: customer.id,
    serverInstanceId: null,
    engine: 'mysql',
    name,
    status: 'active',
  })
  const server = () => managedServer(customer.id, 'mysql')!
  const upload = (file: [string, Buffer | string], fields: Record<string, string> = {}) =>
    send(
      visitor,
      '/database/mysql/import?database_name=shop',
      { database_name: 'shop', ...fields },
      file
    )
  const done = async (id: string) => {
    await runSteps(id)
    return Operation.findOrFail(id)
  }
  const imported = async (file: [string, Buffer | string], fields: Record<string, string> = {}) => {
    const answer = await upload(file, fields)
    const body = (await answer.json()) as { data?: { operation: { id: string } }; message: string }
    if (answer.status !== 202) throw new Error(`${answer.status} ${body.message}`)
    return done(body.data!.operation.id)
  }
  const contents = () => mysqlTransfer.contents(server(), name)
  return { customer, visitor, database, name, server, upload, imported, done, contents }
}

async function dumpOf(server: ReturnType<typeof managedServer>, name: string) {
  const { body } = await mysqlTransfer.export(server!, name)
  const dump = await text(body)
  return dump
    .replace(/^-- (?:Dump completed|Host).*$/gm, '')
    .replaceAll(/STARTS '[^']+'/g, '')
    .replaceAll(/DEFINER=([`"])[^`"]+\1@\1[^`"]+\1/g, '')
    .replaceAll(name, 'shop')
}

const leftovers = async (name: string) => {
  const rows = await mariadb.ask<{ name: string }>(
    'SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA'
  )
  return rows
    .map((row) => row.name)
    .filter((each) => each.includes('berth_') && each.startsWith(name.split('_')[0] + '_'))
}

const LIST_USERS_SQL = `SELECT User, Host FROM mysql.user
  WHERE User NOT LIKE 'berth\\_work\\_%' ORDER BY 1, 2`

test.group('MySQL | imports, exports and backups', (group) => {
  group.setup(async () => {
    mariadb = await startMariadb()
    return () => mariadb.stop()
  })
  group.each.timeout(900_000)

  test('a dump is imported, exported and imported again without changes', async ({ assert }) => {
    const one = await someone()
    const first = await one.imported(['old.sql', OLD_DUMP])
    assert.equal(first.status, 'done', first.error ?? '')
    await one.database.refresh()
    assert.isAbove(Number(one.database.sizeBytes), 0)
    assert.deepEqual(first.result!.after, {
      tables: 3,
      rows: 2,
      views: 2,
      routines: 4,
      triggers: 1,
      events: 1,
    })
    const answer = await one.visitor.fetch('/database/mysql/export?database_name=shop')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-disposition')!, /shop\.sql"/)
    const dump = await answer.text()
    assert.match(dump, /-- Dump completed/)
    assert.include(dump, '0x00FF270A5C')
    assert.include(dump, 'ভাষা 🚢')
    assert.include(dump, 'COLLATE=utf8mb4_uca1400_as_ci')
    const other = await someone()
    for (const file of [
      ['dump.sql', dump],
      ['dump.sql.gz', gzipSync(dump)],
    ] as [string, Buffer][]) {
      const second = await other.imported(file)
      assert.equal(second.status, 'done', second.error ?? '')
      assert.equal(await dumpOf(other.server(), other.name), await dumpOf(one.server(), one.name))
    }
    // The imported trigger works, although its definer is locked.
    await mariadb.ask(`INSERT INTO ${other.name}.goods (parent) VALUES (1)`)
    assert.deepEqual(await mariadb.ask(`SELECT what FROM ${other.name}.noted`), [
      { what: 'old; trigger' },
    ])
    assert.lengthOf(await mariadb.ask(`SELECT id FROM ${other.name}.lower_view`), 2)
    const definers = await mariadb.ask<{ d: string }>(
      'SELECT DEFINER AS d FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ?',
      [other.name]
    )
    assert.match(definers[0].d, /^berth_own_/)
    const [{ locked }] = await mariadb.ask<{ locked: string }>(
      `SELECT JSON_VALUE(Priv, '$.account_locked') AS locked FROM mysql.global_priv WHERE User = ?`,
      [definers[0].d.split('@')[0]]
    )
    assert.equal(String(locked), '1')
    assert.deepEqual(await leftovers(other.name), [])
    const backups = await DatabaseBackup.query().where({ databaseId: other.database.id })
    assert.deepEqual(
      backups.map(({ reason, status }) => [reason, status]),
      [['before_import', 'done']]
    )
  })

  test('tables with the name of a keyword are imported, and skipped statements are listed', async ({
    assert,
  }) => {
    const one = await someone()
    const names = ['user', 'role', 'password', 'function', 'server', 'event', 'definer', 'soname']
    const statements = names.flatMap((name) => [
      `CREATE TABLE ${name} (id INT, directory INT);`,
      `ALTER TABLE ${name} ADD PRIMARY KEY (id);`,
      `CREATE INDEX directory ON ${name} (directory);`,
      `INSERT INTO ${name} VALUES (1, 1);`,
      `CREATE VIEW ${name}_view AS SELECT id FROM ${name};`,
      `CREATE TRIGGER ${name} BEFORE INSERT ON ${name} FOR EACH ROW SET NEW.directory = 2;`,
    ])
    const users =
      'CREATE USER a;\nGRANT ALL ON user TO a;\nCREATE TABLE users (id INT);\nRENAME TABLE users TO roles;\n'
    const operation = await one.imported(['app.sql', `${statements.join('\n')}\n${users}`])
    assert.equal(operation.status, 'done', operation.error ?? '')
    const { after, notes } = operation.result as { after: object; notes: string[] }
    assert.deepInclude(after, { tables: 9, rows: 8, views: 8, triggers: 8 })
    assert.deepEqual(notes, [
      'This import skipped 2 statements: CREATE USER (line 49), GRANT (line 50). Manage users and their rights on the page of the database.',
    ])
    // An import may replace a view by a table of the same name.
    const table = await one.imported(['table.sql', 'CREATE TABLE user_view (id INT)'])
    assert.equal(table.status, 'done', table.error ?? '')
    assert.deepInclude(table.result!.after, { tables: 1, views: 0 })
  })

  test('names qualified with the dump’s own database refer to the target database, also in stored programs', async ({
    assert,
  }) => {
    const one = await someone()
    const corpus = join(import.meta.dirname, '../../../tests/corpus/databases')
    const operation = await one.imported([
      'sample.sql',
      await readFile(join(corpus, 'sample-schema-with-views.sql')),
    ])
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepInclude(operation.result!.after, { tables: 3, views: 1, triggers: 1, rows: 2 })
    await mariadb.ask(`INSERT INTO ${one.name}.film VALUES (2, 'Coffee')`)
    await mariadb.ask(`INSERT INTO ${one.name}.actor VALUES (1, 'A')`)
    assert.deepEqual(await mariadb.ask(`SELECT film_info FROM ${one.name}.actor_info`), [
      { film_info: 'Coffee, Tea; milk' },
    ])
    const { body } = await mysqlTransfer.export(one.server(), one.name)
    const dump = await text(body)
    assert.notMatch(dump, /cinema|berth_in_/)
    const again = await one.imported(['again.sql', dump])
    assert.deepEqual([again.status, again.result?.after], ['done', await one.contents()])
    const sequence = await one.imported([
      'sequence.sql',
      'CREATE SEQUENCE shop.s;\nCREATE TABLE shop.t (id INT DEFAULT NEXTVAL(shop.s), a INT);',
    ])
    assert.equal(sequence.status, 'done', sequence.error ?? '')
    await mariadb.ask(`INSERT INTO ${one.name}.t (a) VALUES (1)`)
    assert.deepEqual(await mariadb.ask(`SELECT id FROM ${one.name}.t`), [{ id: 1 }])
    const other = await someone()
    await other.imported(['old.sql', OLD_DUMP])
    const attack = await one.imported([
      'attack.sql',
      `USE ${one.name};\nCREATE VIEW v AS SELECT * FROM ${other.name}/* */.parents;`,
    ])
    assert.match(attack.error!, new RegExp(`Line 2: .*\\(${one.name}, ${other.name}\\)`))
  })

  test('an export can be loaded elsewhere by a user of one database, and equals the original', async ({
    assert,
  }) => {
    const one = await someone()
    const first = await one.imported(['old.sql', OLD_DUMP])
    assert.equal(first.status, 'done', first.error ?? '')
    const dumpFor = async (name: string) => {
      const { body } = await mysqlTransfer.export(one.server(), name)
      return (await text(body))
        .replace(/^-- (?:Dump completed|Host|Dumping (?:events|routines)).*$/gm, '')
        .replaceAll(/STARTS '[^']+'/g, '')
    }
    const dump = await dumpFor(one.name)
    assert.notMatch(dump, /DEFINER=|berth_|sandbox|GLOBAL/)
    assert.include(dump, 'SQL SECURITY DEFINER')
    // The dump as MySQL sees it: it skips these comments.
    const inMysql = dump.replaceAll(/\/\*M!.*?\*\//g, '')
    const unknown = /NO_AUTO_CREATE_USER|^(?!-- ).*uca1400/
    assert.deepEqual(
      inMysql.split('\n').filter((line) => unknown.test(line)),
      []
    )
    assert.match(dump, /^-- Only MariaDB knows .*collation utf8mb4_uca1400_as_ci.*packages/m)
    const elsewhere = `${one.name}_elsewhere`
    await mariadb.ask(`CREATE DATABASE ${elsewhere} CHARACTER SET utf8mb4`)
    await mariadb.ask(`CREATE USER plain@'%' IDENTIFIED BY 'plain'`)
    await mariadb.ask(`GRANT ALL PRIVILEGES ON ${elsewhere}.* TO plain@'%'`)
    const { port } = new URL(mariadb.url)
    const login = ['--no-defaults', '--host=127.0.0.1', `--port=${port}`, '--user=plain']
    const client = spawn(
      'mariadb',
      [...login, '--skip-ssl', '--default-character-set=utf8mb4', elsewhere],
      {
        env: { PATH: process.env.PATH, MYSQL_PWD: 'plain' },
        stdio: ['pipe', 'ignore', 'pipe'],
      }
    )
    client.stdin.end(dump)
    assert.equal(await text(client.stderr), '')
    assert.equal(await dumpFor(elsewhere), dump)
    await mariadb.ask(`DROP DATABASE ${elsewhere}`)
    await mariadb.ask('DROP USER plain')
  })

  test('a dump with one row per statement is imported quickly and completely', async ({
    assert,
  }) => {
    const one = await someone()
    const rows = Array.from({ length: 5_000 }, (_, at) => `INSERT INTO t VALUES (${at});`)
    const began = Date.now()
    const operation = await one.imported([
      'rows.sql',
      `CREATE TABLE t (id INT PRIMARY KEY);\n${rows.join('\n')}\nROLLBACK;\nINSERT INTO t VALUES (-1)`,
    ])
    assert.equal(operation.status, 'done', operation.error ?? '')
    assert.deepInclude(operation.result!.after, { rows: 5_001 })
    // With a commit for each row, the server writes 5,000 times to the disk.
    assert.isBelow(Date.now() - began, 90_000)
    const [{ commits }] = await mariadb.ask<{ commits: string }>(
      `SELECT VARIABLE_VALUE AS commits FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'COM_COMMIT'`
    )
    assert.isAtLeast(Number(commits), 5)
  })

  test('a merge keeps existing data, and a conflict changes nothing', async ({ assert }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const merged = await one.imported(
      ['more.sql', 'CREATE TABLE more (id INT); INSERT INTO more VALUES (7);'],
      { mode: 'merge' }
    )
    assert.equal(merged.status, 'done', merged.error ?? '')
    assert.deepEqual(await one.contents(), {
      tables: 4,
      rows: 3,
      views: 2,
      routines: 4,
      triggers: 1,
      events: 1,
    })
    const before = await dumpOf(one.server(), one.name)
    const clash = await one.imported(
      ['again.sql', "SELECT 1;\nINSERT INTO parents VALUES (1, 'secret-value');"],
      { mode: 'merge' }
    )
    assert.equal(clash.status, 'failed')
    assert.match(clash.error!, /line 2 of the file .*1062.*The database is unchanged/)
    assert.notInclude(clash.error!, 'secret-value')
    assert.equal(await dumpOf(one.server(), one.name), before)
    assert.deepEqual(await leftovers(one.name), [])
  })

  test('an import without a valid file, during another upload, or by another account is rejected', async ({
    assert,
  }) => {
    const one = await someone()
    for (const file of [undefined, ['a.txt', 'x'] as [string, string]]) {
      const answer = await send(
        one.visitor,
        '/database/mysql/import',
        { database_name: 'shop' },
        file
      )
      const { errors } = (await answer.json()) as { errors: Record<string, string[]> }
      assert.equal(answer.status, 422)
      assert.deepEqual(errors.file, ['Please select a .sql file to import.'])
    }
    const held = await lockForUpload(one.database)
    assert.equal((await one.upload(['a.sql', OLD_DUMP])).status, 409)
    await held.release()
    const other = await someone()
    const foreign = await send(
      other.visitor,
      '/database/mysql/import',
      { database_name: one.name },
      ['a.sql', OLD_DUMP]
    )
    assert.equal(foreign.status, 404)
    assert.deepEqual(await readdir(storageFolderPath(one.server(), 'imports')), [])
    assert.equal(
      (await other.visitor.fetch(`/database/mysql/export?database_name=${one.name}`)).status,
      404
    )
  })

  test('a dump cannot access data, files or rights of others', async ({ assert }) => {
    const [one, victim] = [await someone(), await someone()]
    await victim.imported(['old.sql', OLD_DUMP])
    await one.imported(['old.sql', OLD_DUMP])
    const [theirs, mine] = [
      await dumpOf(victim.server(), victim.name),
      await dumpOf(one.server(), one.name),
    ]
    const users = await mariadb.ask(LIST_USERS_SQL)
    const attacks = [
      `INSERT INTO ${victim.name}.parents VALUES (2, 'x');`,
      `/*!50000 DELETE FROM ${victim.name}.goods */;`,
      `DELIMITER //\nDROP TABLE ${victim.name}.goods//`,
      `SET @q = 'DROP DATABASE ${victim.name}'; PREPARE s FROM @q; EXECUTE s;`,
      `SET @q = CONCAT('GR', 'ANT ALL ON *.* TO PUBLIC'); PREPARE s FROM @q; EXECUTE s;`,
      `SET @q = CONCAT('SET GLO', 'BAL max_connections = 7'); PREPARE s FROM @q; EXECUTE s;`,
      `CREATE TABLE t AS SELECT * FROM mysql.global_priv;`,
      `INSERT INTO mysql.global_priv VALUES ('%', 'evil', '{}');`,
      `CREATE TABLE t (a LONGTEXT); INSERT INTO t VALUES (LOAD_FILE('/etc/passwd')); CALL nothing();`,
      `CREATE TABLE t (a TEXT);\nSET @q = CONCAT('LO', 'AD DATA LOCAL INFILE ''/etc/passwd'' INTO TABLE t'); PREPARE s FROM @q; EXECUTE s;`,
      `CREATE VIEW v AS SELECT * FROM ${victim.name}.goods;`,
      `CREATE TABLE t (a INT) ENGINE=MERGE UNION=(${victim.name}.noted);`,
      `RENAME TABLE ${victim.name}.goods TO goods;`,
      `CREATE TABLE t (a INT);\nDELIMITER //\nCREATE DEFINER=\`keeper\`@\`%\` TRIGGER x BEFORE INSERT ON t FOR EACH ROW DELETE FROM ${victim.name}.noted//\nINSERT INTO t VALUES (1)//`,
      `\\! id > /tmp/x`,
      `SELECT 1 INTO OUTFILE '/tmp/berth-x';`,
    ]
    for (const attack of attacks) {
      const operation = await one.imported(['a.sql', attack])
      assert.equal(operation.status, 'failed', attack)
      assert.match(operation.error!, /The database is unchanged/)
      assert.notInclude(operation.error!, 'berth_own')
    }
    assert.equal(await dumpOf(victim.server(), victim.name), theirs)
    assert.equal(await dumpOf(one.server(), one.name), mine)
    const without = (rows: unknown[]) => JSON.stringify(rows)
    assert.equal(without(await mariadb.ask(LIST_USERS_SQL)), without(users))
    assert.deepEqual(await leftovers(one.name), [])
  })

  test('a truncated or damaged dump is rejected', async ({ assert }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const before = await dumpOf(one.server(), one.name)
    const dump = await text((await mysqlTransfer.export(one.server(), one.name)).body)
    const packed = gzipSync(dump)
    for (const file of [
      ['cut.sql', dump.slice(0, dump.lastIndexOf('-- Dump'))],
      ['cut.sql', dump.slice(0, dump.indexOf('INSERT INTO') + 30)],
      ['cut.sql.gz', packed.subarray(0, packed.length - 40)],
      ['wrong.sql.gz', Buffer.concat([Buffer.from('\x1f\x8b', 'latin1'), randomBytes(9_000)])],
      ['wrong.zip', Buffer.concat([Buffer.from('PK\x03\x04\0\0\0\0'), randomBytes(9_000)])],
    ] as [string, string | Buffer][]) {
      const operation = await one.imported(file)
      assert.equal(operation.status, 'failed', file[0])
      assert.match(operation.error!, /incomplete|damaged|exactly one/)
    }
    assert.equal(await dumpOf(one.server(), one.name), before)
  })

  test('a file or a backup without an effective statement changes nothing', async ({ assert }) => {
    const one = await someone()
    const started = await startDatabaseBackup(one.database, 'asked')
    const { result } = await one.done(started.id)
    await one.imported(['old.sql', OLD_DUMP])
    const before = await dumpOf(one.server(), one.name)
    for (const how of ['over', 'beside']) {
      const wish = { id: result!.backup, how, database_name: 'shop_empty' }
      const { status, json } = await one.visitor.post('/database/backup/restore', wish)
      assert.equal(status, 422)
      assert.match(String(json.message), /This backup is empty/)
    }
    const empty = await one.upload(['empty.sql', ''])
    assert.equal(empty.status, 422)
    assert.match(((await empty.json()) as { message: string }).message, /contains no statement/)
    for (const file of [
      ['comments.sql', '-- nothing\n/* here */\n# at all\n'],
      ['settings.sql', '\uFEFFSET NAMES utf8mb4;\nUSE shop;\nSELECT 1;\n'],
      ['nothing.sql.gz', gzipSync('')],
      ['users.sql', 'CREATE USER a;\nGRANT ALL ON *.* TO a;\n'],
      ['drops.sql', 'DROP TABLE IF EXISTS parents;\nCREATE TABLE t (i INT);\nDROP TABLE t;\n'],
    ] as [string, string | Buffer][]) {
      const { status, error } = await one.imported(file)
      assert.equal(status, 'failed', file[0])
      assert.match(error!, /(contains no statement|would be empty).*The database is unchanged/)
      if (file[0] === 'users.sql') assert.include(error!, 'CREATE USER (line 1), GRANT (line 2)')
    }
    const merged = await one.imported(['comments.sql', '-- nothing'], { mode: 'merge' })
    assert.match(merged.error!, /contains no statement/)
    const old = await one.imported(['mac.sql', '-- head\rCREATE TABLE t (i INT);\r'])
    assert.match(old.error!, /Line 1: .*carriage return/)
    assert.equal(await dumpOf(one.server(), one.name), before)
  })

  test('an import that is interrupted at any moment leaves all of the old or all of the new data', async ({
    assert,
  }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const before = await dumpOf(one.server(), one.name)
    const folder = await mkdtemp(join(tmpdir(), 'berth-dump-'))
    const file = join(folder, 'new.sql')
    await writeFile(file, NEW_DUMP)
    const old = await mysqlTransfer.export(one.server(), one.name)
    const oldFile = join(folder, 'old.sql')
    await writeFile(oldFile, await text(old.body))
    const bring = (path: string, memory: Record<string, unknown>) =>
      mysqlTransfer.import(one.server(), one.name, {
        file: path,
        filename: path,
        merge: false,
        memory,
        saveValue: async (key, value) => void (memory[key] = structuredClone(value)),
        report: async () => {},
        signal: new AbortController().signal,
        commitPoint: async () => {},
      })
    await bring(file, {})
    const after = await dumpOf(one.server(), one.name)
    assert.notEqual(after, before)
    const cut = await startBreakableProxy(mariadb.url)
    try {
      cut.after(Infinity)
      await bring(oldFile, {})
      const total = cut.seen()
      let outcomes = { old: 0, new: 0 }
      const moments = Array.from({ length: 24 }, (_, at) => Math.floor((total * (at + 0.5)) / 24))
      for (const [at, moment] of moments.entries()) {
        await bring(oldFile, {})
        const memory: Record<string, unknown> = {}
        cut.after(moment, at % 3 === 2 ? () => mariadb.crash() : undefined)
        let refused = false
        for (let life = 0; life < 20; life++) {
          try {
            await bring(file, memory)
            break
          } catch (error) {
            await cut.over()
            if (error instanceof RetryLater) continue
            refused = true
            break
          }
        }
        await cut.over()
        cut.after(Infinity)
        const now = await dumpOf(one.server(), one.name)
        if (refused) assert.equal(now, before, `after ${moment} of ${total}`)
        else assert.equal(now, after, `after ${moment} of ${total}`)
        outcomes = { ...outcomes, [refused ? 'old' : 'new']: outcomes[refused ? 'old' : 'new'] + 1 }
      }
      assert.isAbove(outcomes.old, 3)
      assert.isAbove(outcomes.new, 3)
    } finally {
      await cut.stop()
      await rm(folder, { recursive: true, force: true })
    }
    assert.deepEqual(await leftovers(one.name), [])
  })

  test('an import that is cancelled before its tables move changes nothing, and later it cannot be cancelled', async ({
    assert,
  }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const before = await dumpOf(one.server(), one.name)
    const folder = await mkdtemp(join(tmpdir(), 'berth-dump-'))
    const file = join(folder, 'new.sql')
    await writeFile(file, NEW_DUMP)
    const seen: string[] = []
    const cancelled = mysqlTransfer.import(one.server(), one.name, {
      file,
      filename: 'new.sql',
      merge: false,
      memory: {},
      saveValue: async (key, value) => void (value && seen.push(key)),
      report: async () => {},
      signal: new AbortController().signal,
      async commitPoint() {
        seen.push('commitPoint')
        throw new AppError('cancelled', 409, 'Cancelled.')
      },
    })
    await assert.rejects(() => cancelled, 'Cancelled.')
    await rm(folder, { recursive: true })
    assert.deepEqual(seen, ['report', 'commitPoint'])
    assert.equal(await dumpOf(one.server(), one.name), before)
    assert.deepEqual(await leftovers(one.name), [])
    const { cancel } = await one.imported(['new.sql', NEW_DUMP])
    assert.equal(cancel, 'no')
  })

  test('an import and a backup of the same database wait for each other', async ({ assert }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const answer = await one.upload(['new.sql', NEW_DUMP])
    const { data } = (await answer.json()) as { data: { operation: { id: string } } }
    const backup = await startDatabaseBackup(one.database, 'nightly')
    const state = ({ status, steps }: Operation) => [
      status,
      steps.find((step) => step.status === 'running')?.note,
    ]
    assert.deepEqual(state(await one.done(backup.id)), [
      'running',
      'Waiting for the import into this database to finish',
    ])
    const whileImporting = await one.visitor.fetch('/database/mysql/export?database_name=shop')
    assert.equal(whileImporting.status, 409)
    assert.match(await whileImporting.text(), /An import into this database is running/)
    await withDataLock(one.database.id, async () => {
      assert.deepEqual(state(await one.done(data.operation.id)), [
        'running',
        'Waiting for a backup of this database or an import into it to finish',
      ])
    })
    assert.equal((await one.done(data.operation.id)).status, 'done')
    const { status, result } = await one.done(backup.id)
    assert.equal(status, 'done')
    assert.deepEqual(result!.contents, await one.contents())
  })

  test('a backup that loses its lock is repeated', async ({ assert }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const { id, input } = await startDatabaseBackup(one.database, 'asked')
    const backup = () => DatabaseBackup.findOrFail(input.backupId as number)
    // The lock keeps the dump waiting for this table.
    await mariadb.ask(`LOCK TABLES ${one.name}.parents WRITE`)
    const running = one.done(id)
    await eventually(async () => assert.isNotNull((await backup()).file))
    await breakLock(`database-data:${one.database.id}`)
    await mariadb.ask('UNLOCK TABLES')
    const { status, trouble } = await running
    assert.equal(status, 'running')
    assert.match(trouble!, /lost the connection/)
    assert.equal((await backup()).status, 'running')
    assert.equal((await one.done(id)).status, 'done')
    assert.equal((await backup()).status, 'done')
  })

  test('an export fails if an import is queued or finished meanwhile', async ({ assert }) => {
    const one = await someone()
    // The dump is larger than the buffers of the connection, so that the export waits for its client.
    const rows = `INSERT INTO t VALUES ('${'x'.repeat(900_000)}');\n`.repeat(30)
    await one.imported(['big.sql', `CREATE TABLE t (a LONGTEXT);\n${rows}`])
    const download = () => one.visitor.fetch('/database/mysql/export?database_name=shop')
    const [early, late] = [await download(), await download()]
    assert.deepEqual([early.status, late.status], [200, 200])
    const answer = await one.upload(['new.sql', NEW_DUMP])
    const { data } = (await answer.json()) as { data: { operation: { id: string } } }
    await assert.rejects(() => early.text())
    // Cancelled, because the import would wait until the export has read the table.
    await cancelOperation(await Operation.findOrFail(data.operation.id))
    assert.equal((await one.done(data.operation.id)).status, 'failed')
    await assert.rejects(() => late.text())
    assert.match(await (await download()).text(), /-- Dump completed/)
  })

  test('a sync keeps a database that is still being restored', async ({ assert }) => {
    const one = await someone()
    const mine = { accountId: one.customer.id, engine: 'mysql', serverInstanceId: null } as const
    const [worked, gone] = await Database.createMany(
      ['coming', 'gone'].map((name) => ({
        ...mine,
        status: 'active' as const,
        name: `${accountPrefix(one.customer.id)}${name}`,
      }))
    )
    const input = { file: 'x', filename: 'x.sql', from: 'backup' as const }
    const { id } = await startImport(worked, { ...input, merge: false }, 'Restore')
    await syncServer(one.server())
    assert.equal((await Database.findOrFail(worked.id)).status, 'active')
    assert.equal((await Database.findOrFail(gone.id)).status, 'deleted')
    // The restore fails, because its file is missing. It may already have created the database, so the test drops it.
    assert.equal((await one.done(id)).status, 'failed')
    await mariadb.ask(`DROP DATABASE IF EXISTS ${worked.name}`)
    await syncServer(one.server())
    assert.equal((await Database.findOrFail(worked.id)).status, 'deleted')
  })

  test('an interrupted export never looks complete', async ({ assert }) => {
    const one = await someone()
    await one.imported([
      'big.sql',
      `CREATE TABLE t (a LONGTEXT);\nCREATE TABLE z (a INT);\n${`INSERT INTO t VALUES ('${'x'.repeat(900_000)}');\n`.repeat(60)}`,
    ])
    const { body } = await mysqlTransfer.export(one.server(), one.name)
    const [dumping] = await mariadb.ask<{ ID: number }>(
      `SELECT ID FROM information_schema.PROCESSLIST WHERE USER LIKE 'berth\\_work\\_%'`
    )
    await mariadb.ask(`KILL ${dumping.ID}`)
    await assert.rejects(() => text(body), /The export stopped/)
    // With `acceptsMoreDamage`, the export continues if a table is dropped meanwhile, and notes it.
    const copy = await mysqlTransfer.export(one.server(), one.name, { acceptsMoreDamage: true })
    await mariadb.ask(`DROP TABLE ${one.name}.z`)
    assert.match(await text(copy.body), /The table z was dropped .*[^]*-- Dump completed/)
    assert.lengthOf(copy.notes(), 1)
    const gone = await someone()
    await mariadb.ask(`DROP DATABASE ${gone.name}`)
    const answer = await gone.visitor.fetch('/database/mysql/export?database_name=shop')
    assert.isAtLeast(answer.status, 400)
    assert.isFalse(((await answer.json()) as { success: boolean }).success)
  })

  test('unreadable objects do not stop exports, backups, or imports that repair them', async ({
    assert,
  }) => {
    const one = await someone()
    await mariadb.ask("INSTALL SONAME 'ha_archive'")
    const first = await one.imported([
      'base.sql',
      `CREATE TABLE base (id INT, x INT);
      INSERT INTO base VALUES (1, 2);
      CREATE VIEW \`v
DROP TABLE base;\` AS SELECT x FROM base;
      CREATE VIEW outer_view AS SELECT x FROM \`v
DROP TABLE base;\`;
      CREATE VIEW whole AS SELECT id FROM base;
      CREATE PROCEDURE act() SELECT 1;
      CREATE TABLE aging (id INT) WITH SYSTEM VERSIONING;
      CREATE TABLE crashed (id INT, t VARCHAR(200)) ENGINE=MyISAM;
      INSERT INTO crashed SELECT seq, REPEAT('x', 100) FROM seq_1_to_2000;
      CREATE TABLE discarded (id INT);
      CREATE TABLE lost (id INT) ENGINE=ARCHIVE`,
    ])
    await mariadb.ask("UNINSTALL SONAME 'ha_archive'")
    assert.equal(first.status, 'done', first.error ?? '')
    await mariadb.ask(`ALTER TABLE ${one.name}.base DROP COLUMN x`)
    await mariadb.ask(
      `UPDATE mysql.proc SET body = 'SELEKT 1', body_utf8 = 'SELEKT 1' WHERE db = ?`,
      [one.name]
    )
    await mariadb.ask('FLUSH TABLES')
    const file = (name: string) => join(mariadb.folder, 'data', one.name, name)
    await truncate(file('crashed.MYD'), 100_000)
    await mariadb.ask(`ALTER TABLE ${one.name}.discarded DISCARD TABLESPACE`)
    const isNamed = (notes: string[]) => {
      const [aging, crashed, discarded, lost, outer, , act] = notes
      assert.lengthOf(notes, 7)
      assert.match(aging, /^The file holds only the current rows of the table aging,/)
      assert.match(crashed, /^The table crashed could not be read completely: /)
      assert.match(discarded, /^The table discarded could not be read completely: .*discarded/)
      assert.match(lost, /^The table lost could not be read completely: Unknown storage engine/)
      assert.match(outer, /^The view outer_view is broken and was skipped: .* invalid table/)
      assert.match(act, /^The procedure act is broken and was skipped: .*contains its definition/)
    }
    const answer = await one.visitor.fetch('/database/mysql/export?database_name=shop')
    assert.equal(answer.status, 200)
    isNamed(JSON.parse(decodeURIComponent(answer.headers.get('x-berth-notes')!)) as string[])
    const dump = await answer.text()
    assert.match(dump, /INSERT INTO `base` VALUES\s+\(1\)/)
    assert.match(dump, /^-- CREATE .* VIEW `outer_view` AS select/m)
    assert.match(dump, /^-- SELEKT 1$/m)
    assert.match(dump, /VIEW `whole`[^]*-- Dump completed on .*\s*$/)
    assert.notMatch(dump, /^DROP TABLE base/m)

    const made = await one.done((await startDatabaseBackup(one.database, 'asked')).id)
    assert.equal(made.status, 'done', made.error ?? '')
    isNamed(made.result!.notes as string[])
    const restored = await one.visitor.post('/database/backup/restore', {
      id: made.result!.backup,
      how: 'beside',
      database_name: 'shop_beside',
    })
    const beside = await one.done(
      (restored.json.data as { operation: { id: string } }).operation.id
    )
    assert.equal(beside.status, 'done', beside.error ?? '')
    assert.deepInclude(beside.result!.after, { tables: 4, views: 1, routines: 0 })

    const clash = await one.imported(['lost.sql', 'CREATE TABLE lost (id INT)'])
    assert.match(
      clash.error!,
      /The table lost cannot be read or moved: .*The database is unchanged/
    )
    const mended = await one.imported(['new.sql', NEW_DUMP])
    assert.equal(mended.status, 'done', mended.error ?? '')
    const { notes, after } = mended.result as { notes: string[]; after: object }
    assert.deepInclude(after, { tables: 5, views: 2, routines: 4 })
    assert.match(notes[0], /^The old table lost was kept/)
    isNamed(notes.slice(1).map((note) => note.replace('Backup made before this import: ', '')))
  })

  test('an error of mariadb-dump counts as damage only if it names a single table', ({
    assert,
  }) => {
    const said = (text: string, known: DamagedObject[] = []) => parseDumpErrors(text, known)
    const status = "\nError: Couldn't read status information for table a ()\n"
    const gone =
      "mariadb-dump: Couldn't execute 'show create table `a`': Table 's.a' doesn't exist (1146)\n"
    const rows =
      "mysqldump: Error 1194: Table 'b' is marked as crashed when dumping table `b` at row: 8\n"
    assert.deepEqual(
      said(status + gone + rows)?.map(({ kind, name }) => [kind, name]),
      [
        ['gone', 'a'],
        ['table', 'b'],
      ]
    )
    const warning =
      'WARNING: option --ssl-verify-server-cert is disabled, because of an insecure login.\n'
    assert.lengthOf(said(warning + gone)!, 1)
    assert.isNull(said(gone + warning))
    const view = { kind: 'view', name: 'v', reason: 'near\n1', definition: null } as const
    const broken = "mariadb-dump: Couldn't execute 'SHOW FIELDS FROM `v`': near\n1 (1064)\n"
    assert.isNull(said(broken))
    assert.deepEqual(said(broken, [view]), [])
    for (const other of [
      status.replace('table a', 'table c'),
      'mariadb-dump: Error 2013: Lost connection to server when dumping table `b` at row: 8',
      'mariadb-dump: Error 1927: Connection was killed when dumping table `v` at row: 8',
      'mariadb-dump: Got error: 1045: "Access denied for user \'x\'" when trying to connect',
      "mariadb-dump: Couldn't execute 'SHOW FIELDS FROM `b`': Table definition has changed (1412)",
      'mariadb-dump: Got errno 28 on write',
      'Segmentation fault',
    ]) {
      assert.isNull(said(other, [view]), other)
      assert.isNull(said(gone + other), other)
    }
  })

  test('backups are stored, restored into the same or a new database, downloaded and deleted', async ({
    assert,
  }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const before = await dumpOf(one.server(), one.name)
    const begun = await one.visitor.post('/database/backup/store', { database_id: one.database.id })
    assert.equal(begun.status, 202, begun.text)
    const made = await one.done((begun.json.data as { operation: { id: string } }).operation.id)
    assert.equal(made.status, 'done', made.error ?? '')
    const copy = await DatabaseBackup.findOrFail(made.result!.backup as number)
    assert.deepEqual(copy.contents, await one.contents())
    assert.match(copy.digest!, /^[0-9a-f]{64}$/)
    await one.imported(['new.sql', NEW_DUMP])
    const restore = async (body: Record<string, unknown>) => {
      const answer = await one.visitor.post('/database/backup/restore', { id: copy.id, ...body })
      assert.equal(answer.status, 202, answer.text)
      return one.done((answer.json.data as { operation: { id: string } }).operation.id)
    }
    const beside = await restore({ how: 'beside', database_name: 'shop_again' })
    assert.equal(beside.status, 'done', beside.error ?? '')
    const again = `${accountPrefix(one.customer.id)}shop_again`
    assert.equal(await dumpOf(one.server(), again), before.replaceAll('shop', 'shop'))
    assert.notEqual(await dumpOf(one.server(), one.name), before)
    const over = await restore({ how: 'over' })
    assert.equal(over.status, 'done', over.error ?? '')
    assert.equal(await dumpOf(one.server(), one.name), before)
    const other = await someone()
    assert.equal((await other.visitor.fetch(`/database/backup/${copy.id}/download`)).status, 404)
    const download = await one.visitor.fetch(`/database/backup/${copy.id}/download`)
    assert.equal(Buffer.from(await download.arrayBuffer()).length, copy.sizeBytes)
    await writeFile(join(storageFolderPath(one.server(), 'backups'), copy.file!), 'something else')
    const damaged = await one.visitor.post('/database/backup/restore', { id: copy.id, how: 'over' })
    assert.match(String(damaged.json.message), /damaged/)
    assert.equal((await one.visitor.post('/database/backup/delete', { id: copy.id })).status, 200)
    assert.notInclude(await readdir(storageFolderPath(one.server(), 'backups')), copy.file!)
  })

  test('backups of a dropped database are listed, restored, downloaded, and deleted when they expire', async ({
    assert,
  }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    const before = await dumpOf(one.server(), one.name)
    const made = [
      await startDatabaseBackup(one.database, 'asked'),
      await startDatabaseBackup(one.database, 'asked'),
    ]
    for (const { id } of made) await one.done(id)
    const drop = { id: one.database.id, name: 'shop' }
    assert.equal((await one.visitor.post('/database/mysql/drop', drop)).status, 200)
    const shown = async () => {
      const page = await one.visitor.page('/database/mysql')
      return (page.json.props as unknown as DatabaseListPage).droppedCopies
    }
    const copies = await shown()
    assert.deepEqual(
      copies.map(({ database, reason }) => [database, reason]),
      Array(2).fill(['shop', 'asked'])
    )
    const [{ id, kept_until: until, size_bytes: size }] = copies
    const other = await someone()
    assert.equal((await other.visitor.fetch(`/database/backup/${id}/download`)).status, 404)
    const download = await one.visitor.fetch(`/database/backup/${id}/download`)
    assert.equal(Buffer.from(await download.arrayBuffer()).length, size)
    const restore = (body: object) => one.visitor.post('/database/backup/restore', { id, ...body })
    assert.match(String((await restore({ how: 'over' })).json.message), /was dropped/)
    const answer = await restore({ how: 'beside', database_name: 'shop' })
    assert.equal(answer.status, 202, answer.text)
    const back = await one.done((answer.json.data as { operation: { id: string } }).operation.id)
    assert.equal(back.status, 'done', back.error ?? '')
    assert.equal(await dumpOf(one.server(), one.name), before)
    assert.equal((await one.visitor.post('/database/backup/delete', { id })).status, 200)
    const [left, ...none] = await shown()
    assert.lengthOf(none, 0)
    const { file } = await DatabaseBackup.findOrFail(left.id)
    const kept = () => readdir(storageFolderPath(one.server(), 'backups'))
    await pruneDroppedDatabaseBackups(DateTime.fromISO(until).minus({ minutes: 5 }))
    assert.include(await kept(), file!)
    await pruneDroppedDatabaseBackups(DateTime.fromISO(until).plus({ minutes: 5 }))
    assert.notInclude(await kept(), file!)
    assert.lengthOf(await shown(), 0)
  })

  test('a stored import operation cannot read other files of this machine', async ({ assert }) => {
    const one = await someone()
    const folder = await mkdtemp(join(tmpdir(), 'berth-elsewhere-'))
    const file = join(folder, 'secret.sql')
    await writeFile(file, OLD_DUMP)
    const wishes = [
      { file, from: 'path' as const },
      { file: relative(storageFolderPath(one.server(), 'imports'), file), from: 'upload' as const },
      { file: relative(storageFolderPath(one.server(), 'backups'), file), from: 'backup' as const },
    ]
    for (const wish of wishes) {
      const asked = { ...wish, filename: 'secret.sql', merge: false }
      const { status, error } = await one.done(
        (await startImport(one.database, asked, 'Import')).id
      )
      assert.equal(status, 'failed', wish.from)
      assert.match(error!, /Upload the file|no longer exists on the server/)
    }
    assert.equal((await one.contents()).tables, 0)
    await rm(folder, { recursive: true })
  })

  test('a database named like an option of mariadb-dump is not treated as an option', async ({
    assert,
  }) => {
    const { server, name } = await someone()
    const file = join(tmpdir(), `berth-${randomBytes(4).toString('hex')}`)
    await assert.rejects(() => mysqlTransfer.export(server(), `-Ar${file}`))
    const account = await createTemporaryUser(server(), name, 'dump')
    const wish = { account, damaged: [], acceptsMore: false }
    await assert.rejects(async () => text(await openDumpStream(server(), `-Ar${file}`, wish)))
    await account.drop()
    assert.isFalse(existsSync(file))
  })

  test('the URL with only a database’s id redirects to its page', async ({ assert }) => {
    const one = await someone()
    const find = () => one.visitor.get(`/database/${one.database.id}`)
    const found = await find()
    assert.deepEqual(
      [found.status, found.headers.get('location')],
      [302, `/database/mysql/${one.database.id}`]
    )
    await one.database.merge({ status: 'deleted' }).save()
    const gone = await find()
    assert.equal(gone.headers.get('location'), '/database/mysql?server_instance_id=managed')
    const other = await someone()
    assert.equal((await other.visitor.get(`/database/${one.database.id}`)).status, 404)
  })

  test('nightly backups are spread over the night, limited in number, and retried after a failure', async ({
    assert,
  }) => {
    const one = await someone()
    await one.imported(['old.sql', OLD_DUMP])
    await Database.query().whereNot('id', one.database.id).update({ backupNightly: false })
    await one.database.merge({ backupKeep: 2 }).save()
    const day = DateTime.utc(2031, 3, 1, 19) as DateTime<true>
    const due = day.plus({ minutes: backupMinuteOfNight(one.database.id) })
    const running = () =>
      Operation.query()
        .where({ kind: 'database.backup', subjectId: String(one.database.id) })
        .whereIn('status', ['queued', 'running'])
    if (backupMinuteOfNight(one.database.id) > 0)
      assert.equal(await startNightlyBackups(due.minus({ minutes: 1 })), 0)
    // The schedule does not run exactly at the full minute.
    assert.equal(await startNightlyBackups(due.plus({ milliseconds: 7_008 })), 1)
    for (const { id } of await running()) await runSteps(id)
    const newest = () =>
      DatabaseBackup.query()
        .where({ databaseId: one.database.id, reason: 'nightly' })
        .orderBy('id', 'desc')
        .firstOrFail()
    const first = await newest()
    assert.equal(first.status, 'done')
    await first.merge({ createdAt: due, status: 'failed' }).save()
    assert.equal(await startNightlyBackups(due.plus({ minutes: 5 })), 0)
    assert.equal(await startNightlyBackups(due.plus({ minutes: 61 })), 1)
    for (const { id } of await running()) await runSteps(id)
    for (let more = 0; more < 3; more++) {
      const operation = await startDatabaseBackup(one.database, 'nightly')
      await runSteps(operation.id)
    }
    const kept = await DatabaseBackup.query().where({
      databaseId: one.database.id,
      reason: 'nightly',
      status: 'done',
    })
    assert.lengthOf(kept, 2)
    assert.equal(await startNightlyBackups(day.plus({ hours: 12 })), 0)
  })
})
