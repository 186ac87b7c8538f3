import { buildImportArgs } from '#databases/mysql/transfer/run_dump_import'
import { DatabaseNames } from '#databases/mysql/transfer/database_names'
import { SqlFilter } from '#databases/mysql/transfer/sql_filter'
import { importDump } from '#databases/mysql/transfer/import'
import { managedServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import type { Machine } from '#packages/machine/main'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import env from '#start/env'
import { openTestSandboxSocket } from '#tests/support/test_sandbox_launcher'
import { test } from '@japa/runner'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SQL_MODES = [
  '',
  "SET sql_mode='NO_BACKSLASH_ESCAPES';",
  "/*!40101 SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='ANSI,no_backslash_escapes' */;",
  "/*M!100000 SET @@session.sql_mode := 'NO_BACKSLASH_ESCAPES' */;",
  "SET LOCAL `sql_mode` = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES';",
  "SET @a=CONCAT('NO_BACKSLASH', '_ESCAPES');\nSET sql_mode=@a;",
  "SET sql_mode='N\\O_BACKSLASH_ESCAPES';",
  'SET sql_mode=1048576;',
  "SET @q=CONCAT('SET sql_', 'mode=1048576');\nPREPARE s FROM @q;\nEXECUTE s;",
  "EXECUTE IMMEDIATE CONCAT('SET sql_', 'mode=''NO_BACKSLASH', '_ESCAPES''');",
  "SET sql_mode='ANSI_QUOTES';",
  "SET @a=CONCAT('ANSI', '_QUOTES');\nSET sql_mode=@a;",
  'SET NAMES gbk;',
  "SET @c='sjis';\nSET character_set_client=@c;",
]

/** Short commands of the mariadb client that an attacker could hide in a string. */
const commandsFor = (trace: string, host: string) => [
  `\\! touch ${trace}\n`,
  `\\e\n`,
  `\\r t ${host}\n`,
  `\\. ${trace}.sql\n`,
  `\\T ${trace}\n`,
  `\\P touch ${trace}\n`,
]

/** The named commands of the client. It recognizes them only at the start of a line. */
const namedFor = (trace: string, host: string) => [
  `system touch ${trace}\n`,
  `edit\n`,
  `connect t ${host}\n`,
  `source ${trace}.sql\n`,
  `tee ${trace}\n`,
  `pager touch ${trace}\n`,
]

const PROGRAMS = `CREATE TABLE t (a INT, b TEXT, KEY k (a)) ENGINE=MyISAM;
DELIMITER $$
DROP PROCEDURE IF EXISTS all_blocks;
CREATE PROCEDURE all_blocks (IN begin_at INT, OUT r INT) COMMENT 'a; b' SQL SECURITY INVOKER
outer_block: BEGIN
  DECLARE done INT DEFAULT CASE WHEN begin_at > 1 THEN 0 ELSE 1 END;
  DECLARE c CURSOR FOR SELECT a FROM t WHERE IF(a, 1, 0) = 1;
  DECLARE CONTINUE HANDLER FOR NOT FOUND, SQLSTATE VALUE '02000', SQLSTATE '02001' SET done = 1;
  DECLARE EXIT HANDLER FOR SQLEXCEPTION, 1062 BEGIN ROLLBACK; SET r = -1; END;
  -- it's a comment; END
  IF begin_at THEN SET @a = 1; ELSEIF begin_at = 2 THEN BEGIN END; ELSE SET @b = REPEAT('x', 3); END IF;
  CASE begin_at WHEN 1 THEN SET r = 1; WHEN 2 THEN BEGIN SET r = 2; END; ELSE SET r = 3; END CASE;
  w: WHILE done < 1 DO SET done = done + 1; ITERATE w; END WHILE w;
  REPEAT SET done = done + 1; UNTIL CASE done WHEN 1 THEN 1 ELSE 1 END END REPEAT;
  l: LOOP LEAVE l; END LOOP l;
  FOR i IN 1..3 DO SET r = i; END FOR;
  SET @q = 'SELECT ''it\\'s'' '; PREPARE s FROM @q; EXECUTE s; DEALLOCATE PREPARE s;
  SET r = (SELECT CASE WHEN MAX(a) THEN (SELECT 1) END FROM t); /* END; */
END outer_block;
CREATE FUNCTION one() RETURNS VARCHAR(9) CHARACTER SET utf8mb4 DETERMINISTIC RETURN CASE WHEN 1 THEN 'a' END;
CREATE FUNCTION kind() RETURNS SET('a','b') DETERMINISTIC BEGIN RETURN 'a'; END$$
CREATE TRIGGER fill BEFORE INSERT ON t FOR EACH ROW BEGIN IF NEW.a IS NULL THEN SET NEW.a = 1; END IF; END;
$$
CREATE TRIGGER ready BEFORE INSERT ON t FOR EACH ROW FOLLOWS fill IF NEW.a = 7 THEN SET NEW.b = 'x'; END IF;
INSERT INTO t VALUES (7, 'a;b'), (NULL, '$');
BEGIN NOT ATOMIC DECLARE n INT DEFAULT 3; WHILE n > 0 DO INSERT INTO t VALUES (n, 'w'); SET n = n - 1; END WHILE; END$$
DELIMITER ;
LOAD INDEX INTO CACHE t;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=\`ro\`\`ot\`@\`local host\`*/ /*!50003 TRIGGER noted AFTER INSERT ON t FOR EACH ROW BEGIN /* a note */ SET @i = 1; END */;;
/*!50106 CREATE*/ /*!50117 DEFINER=\`root\`@\`%\`*/ /*!50106 EVENT daily ON SCHEDULE EVERY 1 DAY STARTS CURRENT_TIMESTAMP + INTERVAL IF(1, 2, 3) DAY DISABLE DO BEGIN
 /* note */ DELETE FROM t WHERE a = 99; DO SLEEP(0);
END */ ;;
DELIMITER //
CREATE DEFINER='ro''ot'@'%' FUNCTION two() RETURNS INT DETERMINISTIC
BEGIN
  RETURN 2;
END//
`

test.group('MySQL | client commands in a dump', (group) => {
  let mariadb: Mariadb
  let folder: string
  let server: Server
  let calls = 0
  const listener = createServer((socket) => {
    calls++
    socket.destroy()
  })

  group.setup(async () => {
    mariadb = await startMariadb()
    folder = await mkdtemp(join(tmpdir(), 'berth-commands-'))
    // The console uses this sandbox when it runs as root. Tests of imports in other files use none.
    const sandboxes = await openTestSandboxSocket()
    if (sandboxes) env.set('SANDBOX_SOCKET', sandboxes.socketPath)
    server = managedServer(990_055, 'mysql')!
    const editor = join(folder, 'editor')
    await writeFile(editor, `#!/bin/sh\ntouch ${join(folder, 'trace-of-editor')}\n`)
    await chmod(editor, 0o755)
    await mariadb.ask('CREATE DATABASE commands')
    listener.listen(Number(new URL(mariadb.url).port), '127.0.0.2')
    await once(listener, 'listening')
    return async () => {
      listener.close()
      env.set('SANDBOX_SOCKET', undefined as never)
      delete process.env.SANDBOX_SOCKET
      await sandboxes?.close()
      await rm(folder, { recursive: true, force: true })
      await mariadb.stop()
    }
  })
  group.each.timeout(900_000)

  const traces = async () => (await readdir(folder)).filter((name) => name.startsWith('trace'))

  function attacks(): string[] {
    const trace = join(folder, 'trace')
    const short = commandsFor(trace, '127.0.0.2')
    const named = namedFor(trace, '127.0.0.2')
    return [
      ...SQL_MODES.flatMap((mode) => [
        ...short.slice(0, 3).map((command) => `${mode}\nSELECT '\\' ${command}';\n`),
        ...short.slice(0, 1).map((command) => `${mode}\nSELECT "\\" ${command}";\n`),
        ...short.slice(0, 1).map((command) => `${mode}\nSELECT '\x95\\' ${command}';\n`),
        ...named.slice(0, 1).map((command) => `${mode}\nSELECT '\\';\n${command}';\n`),
      ]),
      ...[...short, ...named].flatMap((command) => [
        command,
        `SELECT 1; ${command}`,
        `SELECT 1;\n  ${command}`,
        `DELIMITER '\n${command}`,
        `SELECT 1;\0\n${command}`,
        `-- x\r${command}`,
        `/*!99999 ' */ ${command} ' */;\n`,
      ]),
    ]
  }

  test('the mariadb client runs no client command, even without the filter', async ({ assert }) => {
    const { password } = new URL(mariadb.url)
    const { hostname, port } = new URL(mariadb.url)
    const clientArgs = [`--host=${hostname}`, `--port=${port}`]
    const argv = buildImportArgs({ ...server, clientArgs }, 'keeper', 'commands')
    const editor = join(folder, 'editor')
    const env = { PATH: process.env.PATH, MYSQL_PWD: password, EDITOR: editor, VISUAL: editor }
    const running = attacks()
    const next = async (): Promise<void> => {
      const attack = running.pop()
      if (attack === undefined) return
      const child = spawn('mariadb', argv, { env, stdio: ['pipe', 'ignore', 'ignore'] })
      child.stdin.on('error', () => {}).end(attack, 'latin1')
      const [code] = (await once(child, 'exit')) as [number | null]
      assert.isNotNull(code, attack)
      assert.deepEqual([attack, await traces(), calls], [attack, [], 0])
      await next()
    }
    await Promise.all(Array.from({ length: 4 }, next))
  })

  function bring(name: string, dump: string | Buffer, on = server) {
    const file = join(folder, 'dump.sql')
    return writeFile(file, dump, 'latin1').then(() =>
      importDump(on, `${server.prefix}${name}`, {
        file,
        filename: file,
        merge: false,
        memory: {},
        saveValue: () => Promise.resolve(),
        report: () => Promise.resolve(),
        signal: new AbortController().signal,
        commitPoint: () => Promise.resolve(),
      })
    )
  }

  test('an import with a client command runs nothing, and an error names its line', async ({
    assert,
  }) => {
    const trace = join(folder, 'trace')
    for (const mode of SQL_MODES) {
      const attack = `CREATE TABLE kept (a INT);\n${mode}\nSELECT '\\' \\! touch ${trace}\n';\nSELECT "\\" \\e\n";\n`
      const error = await bring('commands', attack).then(
        () => null,
        (reason: Error) => reason
      )
      assert.deepEqual([attack, await traces(), calls], [attack, [], 0])
      if (error) assert.match(error.message, /^Line \d+/, attack)
      const isNamed = /no_backslash_escapes/i.test(mode) && mode.startsWith('S')
      if (isNamed) assert.match(error?.message ?? '', /NO_BACKSLASH_ESCAPES/, attack)
    }
  })

  test('string literals keep their value after a hidden change of sql_mode or character set', async ({
    assert,
  }) => {
    const dump = [
      'CREATE TABLE t (a TEXT);',
      "SET @q = CONCAT('SET sql_mode=''NO_BACKSLASH', '_ESCAPES,ANSI''');",
      'PREPARE s FROM @q;',
      'EXECUTE s;',
      `INSERT INTO t VALUES ('it\\'s; \\\\'), ("two\\"; ");`,
      "SET character_set_client = CONCAT('g', 'bk');",
      "INSERT INTO t VALUES ('é\\\\');",
    ]
    await bring('modes', Buffer.from(dump.join('\n')))
    const rows = await mariadb.ask<{ a: string }>(`SELECT a FROM ${server.prefix}modes.t`)
    assert.deepEqual(
      rows.map(({ a }) => a),
      ["it's; \\", 'two"; ', 'é\\']
    )
  })

  test('the filter and the server split a dump into the same statements', async ({ assert }) => {
    const { hostname, port, password } = new URL(mariadb.url)
    const argv = buildImportArgs(
      { ...server, clientArgs: [`--host=${hostname}`, `--port=${port}`] },
      'keeper',
      'commands'
    )
    const env = { PATH: process.env.PATH, MYSQL_PWD: password }
    await mariadb.ask('CREATE OR REPLACE TABLE commands.seen (length INT, mode TEXT, letters TEXT)')
    // Outside of strings and comments, the filter must reject this statement. If it accepts the dump, it took the
    // statement for part of a string or comment.
    const hidden = "SET group_concat_max_len=4321, sql_mode='NO_BACKSLASH_ESCAPES'"
    const probe =
      'INSERT INTO seen VALUES (@@group_concat_max_len, @@sql_mode, @@character_set_client)'
    const unclear = "SET @x=CONCAT('NO_BACKSLASH', '_ESCAPES');\n"
    const alone = [
      `/*!99999 INSERT INTO t VALUES (1) */ ${hidden};`,
      `/*!50700 DO 1 */ ${hidden};`,
      `/*M!999999 DO 1 */ ${hidden};`,
      `SELECT 1 /*!99999 ' */; ${hidden}; SELECT 1 /*!99999 ' */;`,
      `SELECT 1 /*!99999 ${'x'.repeat(70_000)} ' */; ${hidden}; -- '`,
      `SELECT 1 /*!99999 /* */ ' */ */; ${hidden}; -- '`,
      `SELECT 2*/*!99999 ' */1; ${hidden}; -- '`,
      `SELECT 1 /*! /* x */ ' */ */; ${hidden}; -- '`,
      `/* /*! */ ' */ ${hidden}; -- '`,
      `--x '\n${hidden};\n-- '`,
      `SELECT 1;--x '\n${hidden};\n-- '`,
      `SELECT 5--1, '\n'; ${hidden};`,
      `SELECT _gbk'\x81\\'; ${hidden}; -- ';`,
      `SELECT x'27', b'1', N'\\'', 0x27; ${hidden};`,
      `SELECT "a\\"; ${hidden}; -- ";`,
      `SELECT 'a''\\'; ${hidden}; -- ';`,
      `SELECT '${'x'.repeat(70_000)}\\'; ${hidden}; -- ';`,
      `${unclear}SET NAMES latin1;\nSET @a=1,\xA0sql_mode=@x;\nSELECT '\\'; ${hidden}; -- ';`,
      `SET sql_mode='ANSI_QUOTES';\nSET "sql_mode"='NO_BACKSLASH_ESCAPES';`,
      `SET sql_mode='ANSI_QUOTES';\nSELECT 1 AS "\\"; ${hidden}; -- ";`,
      `\xEF\xBB\xBF\xEF\xBB\xBF${hidden};`,
      `SELECT 1;\r\n${hidden};\r\n`,
    ]
    const packets = [
      `SELECT 1; ${hidden}`,
      `INSERT INTO seen VALUES (1, '', ''); ${hidden};`,
      `SELECT 1 --\x01 '\n; ${hidden}; --\x01'\n`,
      `CREATE OR REPLACE PROCEDURE p() BEGIN SELECT 1 AS begin; END; ${hidden}`,
      `CREATE OR REPLACE PROCEDURE p() SELECT 1; ${hidden}`,
      `CREATE OR REPLACE PROCEDURE p() /*!99999 BEGIN */ DO 1; ${hidden}; DO 2`,
      `CREATE OR REPLACE FUNCTION f() RETURNS INT RETURN CASE WHEN 1 THEN 2 END; ${hidden}`,
      `BEGIN NOT ATOMIC DO 1; END; ${hidden}`,
      `SET @x='NO_BACKSLASH_ESCAPES'; SET sql_mode=@x; SELECT '\\'; ${hidden}; -- '`,
      `SET STATEMENT sql_mode=@x FOR SELECT '\\'; ${hidden}; -- '`,
      `SET sql_mode='ANSI_QUOTES'; SELECT 1 AS "\\"; ${hidden}; -- "`,
      `SET NAMES gbk; SELECT '\x81\\'; ${hidden}; -- '`,
      `SET NAMES gbk; SELECT 1 AS \`\x81\`\`; ${hidden}; -- \``,
      `CREATE OR REPLACE PROCEDURE p() BEGIN SET sql_mode=@x; END; SET @x=1048576; CALL p(); SELECT '\\'; ${hidden}; -- '`,
    ]
    const running = [
      ...alone.map((text) => `${text}\n${probe};\n`),
      ...packets.flatMap((text) => [
        `DELIMITER $$\n${text}$$\n${probe}$$\n`,
        `DELIMITER ;;\n${text};;\n${probe};;\n`,
      ]),
    ]
    const next = async (): Promise<void> => {
      const attack = running.pop()
      if (attack === undefined) return
      const filter = new SqlFilter(new DatabaseNames())
      const out = [...filter.push(Buffer.from(attack, 'latin1')), ...filter.end()]
      if (!filter.report.rejection) {
        const child = spawn('mariadb', argv, { env, stdio: ['pipe', 'ignore', 'ignore'] })
        child.stdin.on('error', () => {}).end(Buffer.concat(out))
        await once(child, 'exit')
        const rows = await mariadb.ask(
          "SELECT * FROM commands.seen WHERE length = 4321 OR mode LIKE '%NO_BACKSLASH%' OR letters = 'gbk'"
        )
        assert.deepEqual([attack, rows], [attack, []])
      }
      await next()
    }
    await Promise.all(Array.from({ length: 4 }, next))
    const seen = await mariadb.ask('SELECT * FROM commands.seen')
    assert.isAbove(seen.length, 0, 'what is not rejected runs')
  })

  test('stored programs are imported as their authors and other tools write them', async ({
    assert,
  }) => {
    await bring('programs', PROGRAMS)
    const rows = await mariadb.ask<{ name: string }>(
      `SELECT ROUTINE_NAME AS name FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ?
       UNION SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ?
       UNION SELECT EVENT_NAME FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ? ORDER BY 1`,
      [1, 2, 3].map(() => `${server.prefix}programs`)
    )
    assert.deepEqual(
      rows.map(({ name }) => name),
      ['all_blocks', 'daily', 'fill', 'kind', 'noted', 'one', 'ready', 'two']
    )
    const [{ total }] = await mariadb.ask(
      `SELECT COUNT(*) AS total FROM ${server.prefix}programs.t`
    )
    assert.equal(Number(total), 5)
    const [{ text }] = await mariadb.ask<{ text: string }>(
      "SELECT CAST(body AS CHAR) AS text FROM mysql.proc WHERE name = 'all_blocks'"
    )
    assert.match(text, /^outer_block: BEGIN[^]*'SELECT ''it\\'s'' '[^]*END outer_block$/)
  })

  test('string literals are imported byte for byte', async ({ assert }) => {
    // All bytes except quote and backslash, which would have to be escaped.
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    const all = Buffer.from(bytes.filter((byte) => byte !== 39 && byte !== 92))
    const texts = ['a\r\nb', 'c\nd', 'e\rf', '\r', 'g\0h', '\x1a']
    const dump = Buffer.concat([
      Buffer.from(
        'CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, a BLOB);\r\nDELIMITER ;;\r\n'
      ),
      ...texts.map((text) => Buffer.from(`INSERT INTO t (a) VALUES ('${text}');;\r\n`)),
      Buffer.from("DELIMITER ;\r\nINSERT INTO t (a) VALUES (_binary '"),
      all,
      Buffer.from("');\r\n"),
    ])
    await bring('bytes', dump)
    const rows = await mariadb.ask<{ a: string }>(
      `SELECT HEX(a) AS a FROM ${server.prefix}bytes.t ORDER BY id`
    )
    const expected = [...texts.map((text) => Buffer.from(text)), all]
    assert.deepEqual(
      rows.map(({ a }) => a),
      expected.map((each) => each.toString('hex').toUpperCase())
    )
  })

  test('a zero byte outside of a string literal fails the import with its line number', async ({
    assert,
  }) => {
    for (const dump of [
      'CREATE TABLE t (a INT);\n\nINSERT INTO t\0 VALUES (1);\n',
      'CREATE TABLE t (a INT);\n\n-- a\0b\n',
    ]) {
      const words = /^Line 3: .*zero byte.* The database is unchanged/
      await assert.rejects(() => bring('zero', dump), words)
    }
  })

  test('an import that exceeds a memory or CPU limit fails with a clear message', async ({
    assert,
  }) => {
    const dump = `CREATE TABLE t (a LONGTEXT);\nINSERT INTO t VALUES ('${'x'.repeat(12 * 1024 ** 2)}');\n`
    const under = (limit: string, program: string): Server => {
      const inner = server.sandbox ?? server.machine
      const spawn: Machine['spawn'] = (argv, options) => {
        const limited = argv.flatMap((each) =>
          each === program ? ['prlimit', limit, each] : [each]
        )
        return inner.spawn(limited, options)
      }
      const exec = server.machine.exec.bind(server.machine)
      return { ...server, sandbox: { exec, spawn, shell: inner.shell, close: inner.close } }
    }
    for (const [limit, program] of [
      ['--data=10485760', 'mariadb'],
      ['--cpu=0', 'mariadb'],
      ['--data=10485760', process.execPath],
    ]) {
      const words = /it needed more memory, time or processes than allowed.*is unchanged/
      await assert.rejects(() => bring('limits', dump, under(limit, program)), words)
    }
  })
})
