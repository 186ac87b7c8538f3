import { forEachLimit } from '#core/for_each_limit'
import { detectDumpFormat } from '#databases/mysql/transfer/dump_format'
import { buildImportNotes } from '#databases/mysql/transfer/import_notes'
import { mariadbClientError, runDumpImport } from '#databases/mysql/transfer/run_dump_import'
import type { Server } from '#databases/servers/server'
import { LocalMachine, type Machine } from '#packages/machine/main'
import { test } from '@japa/runner'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FOLDER = join(import.meta.dirname, '../../../tests/corpus/databases')

/** The import succeeds. `notes`: its notes on removed and changed statements, in order. */
const kept = (...notes: string[]) => ({ notes })
const refused = (message: string) => ({ message })
/** No statement of the file changes a database, so an import of it is rejected. `notes`: as in `kept`. */
const nothing = (...notes: string[]) => ({ nothing: notes })

const locks = (line: number) =>
  `This import skipped 2 statements: LOCK TABLES (2 times, first in line ${line}). Locks are not needed: only the import uses the new tables.`
const database = (line: number) =>
  `This import skipped 2 statements: CREATE DATABASE (line ${line}), USE (line ${line + 1}). All data is imported into this database, which keeps its own character set.`
const collation = (where: string) =>
  `Collation utf8mb4_0900_ai_ci does not exist on this server: replaced by utf8mb4_unicode_ci (${where})`
const definer = (line: number) => `DEFINER: replaced by the user of this database (line ${line})`
const renamed = (name: string, where: string) =>
  `Database name ${name}: replaced by this database (${where})`
const message = (line: number, text: string) =>
  `Skipped a message of the program that made the dump: “${text}” (line ${line})`
const withoutKey = (name: string) =>
  `Key \`${name}\`: removed, because MariaDB has no keys on expressions (line 10)`
const PASSWORD_WARNING = 'Using a password on the command line interface can be insecure.'
const isNot = (what: string) => refused(`The file is ${what}, not a dump of MySQL or MariaDB. `)
const UTF_16 = refused('The file is written in UTF-16')
const NOT_ONE = refused('The zip file must contain exactly one .sql file.')

/** Expected result for each file of `tests/corpus/databases`. */
const outcomes: Record<string, ReturnType<typeof kept | typeof refused | typeof nothing>> = {
  'adminer-4.8.sql': kept(collation('line 18')),
  'adminer-5-routines.sql': kept(),
  'all-in-one-wp-database.sql': kept(),
  'all-in-one-wp.sql': isNot('a backup of All-in-One WP Migration'),
  'binary.sql.gz': refused('The file is not SQL text.'),
  'comments-only.sql': nothing(),
  'dbeaver-24-insert.sql': kept(renamed('shop', 'line 1')),
  'dbeaver-24-qualified.sql': kept(renamed('shop', '4 times, first in line 9')),
  'duplicator-4.5.sql': kept(),
  'empty.sql': nothing(),
  'gzip-cut.sql.gz': refused('The file is incomplete: it ends too early.'),
  'gzip-named.sql': kept(locks(28)),
  'gzip-twice.sql.gz': kept(locks(28)),
  'heidisql-12.sql': kept(database(14), collation('line 17')),
  'heidisql-12-two-databases.sql': refused(
    'Line 12: The file contains several databases (shop, blog).'
  ),
  'mariadb-dump-10.11.sql': kept(locks(28)),
  'mariadb-dump-11.8.sql': kept(locks(20)),
  'mariadb-dump-11-deprecated.sql': kept(
    locks(29),
    message(
      1,
      "mysqldump: Deprecated program name. It will be removed in a future release, use '/usr/bin/mariadb-dump' instead"
    )
  ),
  'mariadb-dump-12-sequence.sql': kept(locks(28)),
  'mongodump.archive.gz': isNot('a mongodump archive'),
  'mydumper-0.16-schema.sql': kept(collation('2 times, first in line 4')),
  'mydumper-folder.zip': NOT_ONE,
  'mysqldump-5.6-warning.sql': kept(locks(29), message(1, `Warning: ${PASSWORD_WARNING}`)),
  'mysqldump-5.7.sql': kept(locks(28), definer(36)),
  'mysqldump-8.0-gtid.sql': kept(
    'This import skipped 6 statements: SET SQL_LOG_BIN (3 times, first in line 13), SET GTID_PURGED (line 15), LOCK TABLES (2 times, first in line 31). These statements affect the whole server. Locks are not needed: only the import uses the new tables.',
    collation('2 times, first in line 24')
  ),
  'mysqldump-8.0-tablespaces.sql': kept(
    locks(30),
    message(1, `mysqldump: [Warning] ${PASSWORD_WARNING}`),
    message(
      2,
      "mysqldump: Error: 'Access denied; you need (at least one of) the PROCESS privilege(s) for this operation' when trying to dump tablespaces"
    ),
    collation('2 times, first in line 23')
  ),
  'mysqldump-8.0-view-of-another-database.sql': refused(
    'Line 7: The file contains several databases (shop, blog).'
  ),
  'mysqldump-8.4-warning.sql': kept(
    locks(29),
    message(1, `mysqldump: [Warning] ${PASSWORD_WARNING}`),
    collation('2 times, first in line 22')
  ),
  'mysqldump-9.0-add-drop-trigger.sql': kept(
    collation('line 12'),
    renamed('shop', '2 times, first in line 21'),
    'DEFINER: replaced by the user of this database (2 times, first in line 21)'
  ),
  'mysqldump-access-denied.sql': nothing(
    message(
      1,
      "mysqldump: Got error: 1045: \"Access denied for user 'shop'@'localhost' (using password: YES)\" when trying to connect"
    )
  ),
  'mysqldump-docker-prompt.sql': kept(locks(29), message(1, 'Enter password:')),
  'mysqldump-skip-comments.sql': kept(locks(20)),
  'mysqldump-two-databases.sql': refused(
    'Line 1: The file contains several databases (shop, blog).'
  ),
  'mysqldump-without-end.sql': refused(
    'Line 38: The file is incomplete: the last line “Dump completed” is missing. If the rest is there, choose “Accept a dump without the line ‘Dump completed’”.'
  ),
  'navicat-17.sql': kept(collation('2 times, first in line 19')),
  'php-error.sql': isNot('a web page'),
  'phpmyadmin-5.2.sql': kept(definer(26)),
  'phpmyadmin-with-database.sql.zip': kept(database(22), definer(29)),
  'phpmyadmin.json.sql': isNot('JSON'),
  'phpmyadmin.xml.sql': isNot('XML'),
  'plain-named.sql.gz': kept(locks(28)),
  'postgresql-cluster.sql': isNot('a dump of PostgreSQL'),
  'postgresql-custom.sql': isNot('a backup of PostgreSQL'),
  'postgresql.sql': isNot('a dump of PostgreSQL'),
  'postgresql.sql.gz': isNot('a dump of PostgreSQL'),
  'powershell.sql': UTF_16,
  'sample-schema-with-views.sql': kept(
    'This import skipped 3 statements: DROP DATABASE (line 3), CREATE DATABASE (line 4), USE (line 5). All data is imported into this database, which keeps its own character set.',
    renamed('cinema', '6 times, first in line 11'),
    definer(11)
  ),
  'sql-server.sql': isNot('a script for Microsoft SQL Server'),
  'sqlite-database.sql': isNot('an SQLite database'),
  'sqlite-dump.sql': isNot('a dump of SQLite'),
  'updraftplus-db.gz': kept(),
  'utf-16-big-endian.sql': UTF_16,
  'utf-16-without-mark.sql': UTF_16,
  'web-page.sql': isNot('a web page'),
  'web-page.sql.zip': isNot('a web page'),
  'wp-migrate-2.7.sql': kept(),
  'workbench-8.0.sql': kept(database(12), renamed('shop', 'line 15')),
  'workbench-8.0-inserts.sql': kept(
    'This import skipped 4 statements: CREATE DATABASE (line 13), USE (3 times, first in line 14). All data is imported into this database, which keeps its own character set.',
    renamed('mydb', '8 times, first in line 19')
  ),
  'zip-in-gzip.sql.gz': refused('The file contains another compressed file.'),
  'zip-made-on-a-mac.zip': kept(definer(26)),
  'zip-named.sql': kept(locks(28)),
  'zip-with-a-password.zip': refused('The zip file is protected by a password.'),
  'zip-with-a-readme.zip': NOT_ONE,
  'backwpup-5.sql': kept(locks(36)),
  'dbeaver-25-native.sql': kept(
    'This import skipped 4 statements: SET SQL_LOG_BIN (3 times, first in line 9), SET GTID_PURGED (line 16). These statements affect the whole server.'
  ),
  'digitalocean-primary-keys.sql': kept(
    'This import skipped 2 statements: SET SQL_REQUIRE_PRIMARY_KEY (line 8), SET SQL_GENERATE_INVISIBLE_PRIMARY_KEY (line 9). Only MySQL has these settings.',
    'SQL_REQUIRE_PRIMARY_KEY: removed; only MySQL has this setting (line 10)'
  ),
  'heidisql-12-routines.sql': kept(collation('line 19'), renamed('shop', 'line 34')),
  'mariadb-dump-12-columns.sql': kept(),
  'mydumper-0.19-schema.sql': kept(collation('line 5')),
  'mysql-shell-dump.json.sql': isNot('JSON'),
  'mysqldump-5.6-charset-changes.sql': kept(collation('line 13')),
  'mysqldump-5.7-master-data.sql': kept(
    'This import skipped 1 statement: CHANGE MASTER (line 11). These statements affect the whole server.'
  ),
  'mysqldump-8.0-dump-replica.sql': kept(
    'This import skipped 3 statements: STOP REPLICA (line 1), CHANGE MASTER (line 9), START REPLICA (line 12). These statements affect the whole server.'
  ),
  'mysqldump-8.0-hex-and-blob.sql': kept(),
  'mysqldump-8.0-quotes-in-comments.sql': kept(),
  'mysqldump-8.0-routines-events.sql': kept(
    collation('3 times, first in line 8'),
    'DEFINER: replaced by the user of this database (3 times, first in line 24)',
    'ALTER DATABASE: it applies during this import only; the database keeps its own settings (2 times, first in line 47)'
  ),
  'mysqldump-8.4-columns.sql': kept(
    withoutKey('by_name'),
    withoutKey('by_lower'),
    withoutKey('by_tag'),
    collation('line 10')
  ),
  'mysqldump-8.4-source-data.sql': kept(
    'This import skipped 1 statement: CHANGE REPLICATION SOURCE (line 16). These statements affect the whole server.',
    collation('line 18')
  ),
  'mysqldump-compatible-ansi.sql': kept(),
  'navicat-17-routines.sql': kept(collation('line 15')),
  'percona-8.0-rocksdb.sql': kept(
    'COLUMN_FORMAT COMPRESSED: removed; only Percona Server has it (line 17)'
  ),
  'phpmyadmin-5.2-routines.sql': kept(
    'DEFINER: replaced by the user of this database (4 times, first in line 25)',
    collation('line 36')
  ),
  'sequel-ace-5.sql': kept(
    locks(29),
    collation('line 24'),
    'DEFINER: replaced by the user of this database (2 times, first in line 45)'
  ),
  'terminal-copy.sql': isNot('output of the mysql client'),
  'updraftplus-1.25.sql': kept(),
  'workbench-8.0-foreign-keys.sql': kept(renamed('shop', 'line 9')),
}

test.group('MySQL | dumps of other programs', (group) => {
  let folder: string
  group.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-corpus-'))
    return () => rm(folder, { recursive: true, force: true })
  })
  group.each.timeout(600_000)

  test('each file is imported with its expected notes, or rejected with its expected message', async ({
    assert,
  }) => {
    const files = await readdir(FOLDER)
    assert.sameMembers(files, Object.keys(outcomes))
    await forEachLimit(files, { places: 4, timeoutMs: 500_000 }, async (file) => {
      assert.deepEqual(await outcomeOf(file), outcomes[file], file)
    })
  })

  test('a dump without its last line is imported only if the customer confirms it', async ({
    assert,
  }) => {
    const { sent, report } = await imported(folder, 'mysqldump-without-end.sql', true)
    assert.include(sent, "(2,'it\\'s; -- tea');")
    assert.isAbove(report.changes, 0)
    await assert.rejects(() => imported(folder, 'gzip-cut.sql.gz', true), /ends too early/)
  })

  test('the filter removes keys on expressions, and no other key', async ({ assert }) => {
    const { sent } = await imported(folder, 'mysqldump-8.4-columns.sql')
    assert.include(sent, 'KEY `by_state` (`state` DESC) /*!80000 INVISIBLE */')
    assert.include(sent, "DEFAULT (_utf8mb4'[]')")
    assert.match(sent, /INVISIBLE \*\/\s+,\s+CONSTRAINT `goods_chk_1` CHECK/)
    assert.notMatch(sent, /by_name|by_lower|by_tag/)
  })

  test('file formats that cannot be imported are recognized by their first bytes', ({ assert }) => {
    const heads: [string, RegExp][] = [
      ['\xfd7zXZ\x00\x00\x04', /compressed with xz.*Unpack/],
      ['\x5d\x00\x00\x80\x00\xff', /compressed with lzma/],
      ['BZh91AY&SY', /compressed with bzip2/],
      ['\x28\xb5\x2f\xfd\x24', /compressed with zstd/],
      ['\x04\x22\x4d\x18\x64', /compressed with lz4/],
      ['7z\xbc\xaf\x27\x1c\x00\x04', /compressed with 7-Zip/],
      ['Rar!\x1a\x07\x01\x00', /compressed with RAR/],
      [`shop.sql${'\x00'.repeat(249)}ustar  \x00`, /a tar archive.*Unpack/],
      ['XBSTCK01\x00', /a physical backup/],
      ['\xfebin\x00\x00', /a data file or log/],
      ['\x00\x01\x00\x00Standard ACE DB\x00', /Microsoft Access/],
      ['%PDF-1.7', /a PDF document/],
      ['\x89PNG\r\n\x1a\n\x00', /not SQL text/],
    ]
    for (const [head, words] of heads) {
      assert.match(detectDumpFormat(Buffer.from(head, 'latin1')).problem ?? '', words)
    }
    for (const text of [
      'BZhang: INSERT',
      "INSERT INTO t VALUES ('\x00\x01')",
      '\xef\xbb\xbfSELECT 1;',
      '-- <!DOCTYPE html>\nSELECT 1;',
      "INSERT INTO t VALUES ('<html>', '-- PostgreSQL database dump');",
      '',
    ])
      assert.equal(detectDumpFormat(Buffer.from(text, 'latin1')).format, 'sql', text)
  })

  test('a syntax error names its line in the file and the text near it', ({ assert }) => {
    const said = (near: string) =>
      `ERROR 1064 (42000) at line 3: You have an error in your SQL syntax; check the manual that corresponds to your MariaDB server version for the right syntax to use near '${near}' at line 1`
    assert.match(
      mariadbClientError(said("it's here"), 1).message,
      /line 3 of.*near “it's here”\. The/
    )
    assert.match(mariadbClientError(said('x'.repeat(900)), 1).message, /near “x{80}…”\. The/)
  })

  async function outcomeOf(file: string) {
    try {
      const { notes, report } = await imported(folder, file)
      return report.changes > 0 ? kept(...notes) : nothing(...notes)
    } catch (error) {
      const { message } = error as Error
      assertUnchanged(message)
      const expected = outcomes[file]
      const isExpected = 'message' in expected && message.startsWith(expected.message)
      return isExpected ? expected : refused(message)
    }
  }
})

function assertUnchanged(message: string): void {
  if (!message.endsWith('The database is unchanged.')) throw new Error(message)
}

async function imported(folder: string, file: string, acceptsMissingEnd = false) {
  const local = new LocalMachine()
  const sent = join(folder, file)
  const machine = {
    exec: (...args: Parameters<Machine['exec']>) => local.exec(...args),
    spawn: (argv: string[], options: Parameters<Machine['spawn']>[1]) =>
      local.spawn([...argv.slice(0, argv.indexOf('mariadb')), 'tee', sent], options),
  } as unknown as Machine
  const server = { engine: 'mysql', instance: null, machine, clientArgs: [] } as unknown as Server
  const report = await runDumpImport(server, {
    file: join(FOLDER, file),
    collations: [
      'utf8mb4_unicode_ci',
      'utf8mb4_general_ci',
      'utf8mb4_unicode_520_ci',
      'utf8mb4_uca1400_ai_ci',
    ],
    maxPacket: 2 ** 24,
    acceptsMissingEnd,
    into: { database: 'shop', account: { user: 'shop', password: '' } },
    doing: 'Importing',
    report: () => Promise.resolve(),
  })
  return { sent: await readFile(sent, 'utf8'), notes: buildImportNotes(report), report }
}
