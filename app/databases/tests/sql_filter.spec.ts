import { DatabaseNames } from '#databases/mysql/transfer/database_names'
import { SqlFilter, type FilterOptions } from '#databases/mysql/transfer/sql_filter'
import { buildImportNotes } from '#databases/mysql/transfer/import_notes'
import { PortableDump } from '#databases/mysql/transfer/portable_dump'
import { test } from '@japa/runner'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'

const collations = ['utf8mb4_unicode_ci', 'utf8mb4_bin', 'latin1_swedish_ci']

function filtered(
  text: string,
  size = 100_000,
  options: FilterOptions & { ignoresCase?: boolean } = {}
) {
  const filter = new SqlFilter(new DatabaseNames(options), { collations, ...options })
  const out: Buffer[] = []
  const all = Buffer.from(text)
  for (let at = 0; at < all.length; at += size)
    out.push(...filter.push(all.subarray(at, at + size)))
  out.push(...filter.end())
  return { out: Buffer.concat(out).toString(), report: filter.report }
}

const SAMPLE_DUMP = `/*M!999999\\- enable the sandbox mode */ 
-- MariaDB dump 10.19  Distrib 10.11
CREATE DATABASE /*!32312 IF NOT EXISTS*/ \`shop\`;
USE \`shop\`;
CREATE TABLE \`a;b\` (x varchar(9) COLLATE utf8mb4_0900_ai_ci DEFAULT ';\\';') COLLATE=utf8mb4_0900_as_cs; # note ; here
INSERT INTO \`a;b\` VALUES ('it''s; \\' "x"'),("a;b"),(1 /* ; */); -- x ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=\`root\`@\`%\`*/ /*!50003 TRIGGER t BEFORE INSERT ON x FOR EACH ROW BEGIN SET @a=1; SET @b=2; END */;;
CREATE DEFINER=root@localhost PROCEDURE \`definer\`() SQL SECURITY INVOKER SELECT 'DEFINER=root' ;;
DELIMITER ;
SET @@SESSION.SQL_LOG_BIN= 0;
SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ '3e11fa47:1-5';
SET @OLD_SQL_MODE=@@SQL_MODE;
LOCK TABLES \`a\` WRITE;
GRANT ALL ON *.*
  TO x;
ALTER DATABASE \`shop\` CHARACTER SET latin1;
-- Dump completed on 2026-11-23
`

test.group('MySQL | statements of a dump', () => {
  test('the filter removes only those settings of a SET statement that MariaDB lacks', ({
    assert,
  }) => {
    const key = 'sql_require_primary_key=0'
    const rows: [string, string][] = [
      [
        `SET SESSION ${key}, sql_mode='A,B', x=(SELECT 1, 2);`,
        "SET sql_mode='A,B', x=(SELECT 1, 2);",
      ],
      [`SET x=1, ${key};`, 'SET x=1;'],
      [`SET x=1,\n ${key}, @@session.${key}, y=2;`, 'SET x=1, y=2;'],
      [`SET ${key}, use_secondary_engine := OFF, y=2;`, 'SET y=2;'],
      [`/*!80013 SET x=1, ${key} */;`, '/*!80013 SET x=1 */;'],
      [`SET ${key}, use_secondary_engine = OFF;`, ''],
      [`SET @x='${key}', y=2;`, `SET @x='${key}', y=2;`],
    ]
    for (const [text, expected] of rows) {
      const { out } = filtered(text)
      assert.equal(out.split('\n').length, text.split('\n').length)
      assert.equal(
        out
          .replaceAll(/\s+/g, ' ')
          .replaceAll(/ (?=[,;])/g, '')
          .trim(),
        expected
      )
    }
  })

  test('a removed key on an expression leaves its versioned comment closed', ({ assert }) => {
    const text = 'CREATE TABLE t (a int /*!80013 , KEY j ((a+1)) */);\nCREATE TABLE u (b int);\n'
    const { out, report } = filtered(text)
    assert.isNull(report.rejection)
    assert.equal(
      out.replaceAll(/\s+/g, ' ').trim(),
      'CREATE TABLE t (a int /*!80013 */); CREATE TABLE u (b int);'
    )
    assert.equal(report.findings[0].what.slice(0, 5), 'Key j')
  })

  test('a skipped CHANGE REPLICATION FILTER is listed', ({ assert }) => {
    const { report } = filtered('CHANGE REPLICATION FILTER REPLICATE_DO_DB = (a);')
    assert.equal(report.findings[0].what, 'CHANGE REPLICATION FILTER')
  })

  test('the filter removes or rewrites statements of other servers and reports their lines', ({
    assert,
  }) => {
    const { out, report } = filtered(SAMPLE_DUMP)
    assert.isNull(report.rejection)
    assert.equal(
      out.split('\n').length,
      SAMPLE_DUMP.split('\n').length,
      'lines stay where they were'
    )
    for (const gone of ['sandbox', 'USE', 'CREATE DATABASE', 'LOG_BIN', 'GTID', 'LOCK', 'GRANT']) {
      assert.notInclude(out, gone)
    }
    assert.notMatch(out, /DEFINER=`|DEFINER=root@/)
    assert.include(out, "SELECT 'DEFINER=root' ;;")
    assert.include(out, 'SET @OLD_SQL_MODE=@@SQL_MODE;')
    assert.match(out, /ALTER DATABASE\s+CHARACTER SET latin1;/)
    assert.include(out, 'COLLATE utf8mb4_unicode_ci')
    assert.include(out, 'COLLATE=utf8mb4_bin')
    assert.include(out, `INSERT INTO \`a;b\` VALUES ('it''s; \\' "x"'),("a;b"),(1 /* ; */); -- x ;`)
    const lines = Object.fromEntries(
      report.findings.map(({ what, line }) => [what.split(':')[0], line])
    )
    assert.equal(lines['CREATE DATABASE'], 3)
    assert.equal(lines.DEFINER, 8)
    assert.equal(lines.GRANT, 15)
  })

  test('the size of the chunks does not change the result', ({ assert }) => {
    const whole = filtered(SAMPLE_DUMP)
    for (let size = 1; size < 80; size++) {
      assert.deepEqual(filtered(SAMPLE_DUMP, size), whole, `parts of ${size} bytes`)
    }
    for (const text of [
      `SELECT '${'x'.repeat(5_000)}';\n  \t DELIMITER $$\nSELECT 1$$ -- ${'end '.repeat(80)}`,
      `SELECT 1;\n/* a\n\n b /*! */`,
      `/*\n${'x\n'.repeat(3_000)}/*! */`,
    ]) {
      for (const size of [1, 2, 7, 5_000])
        assert.deepEqual(filtered(text, size).report.rejection, filtered(text).report.rejection)
    }
  })

  test('access to files, libraries and the client is rejected, and changes of the server are skipped', ({
    assert,
  }) => {
    const refused: [string, number][] = [
      ['SELECT 1;\n\\! id\n', 2],
      ['source /etc/passwd\n', 1],
      ['SELECT 1;\nsystem id\n', 2],
      ['quit\n', 1],
      ["SELECT 1\nINTO OUTFILE '/x';", 1],
      ["SELECT 1 INTO/**/DUMPFILE '/x';", 1],
      ["LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE y;", 1],
      ["\n/*!50000 LOAD DATA INFILE 'x' INTO TABLE y */;", 2],
      ["/*M!100000 LOAD */ XML INFILE 'x' INTO TABLE y;", 1],
      ["DELIMITER //\nCREATE FUNCTION f RETURNS INT SONAME 'x.so'//", 2],
      ["INSTALL PLUGIN x SONAME 'y';", 1],
      ['DELIMITER \\!\n', 1],
      ['use a\nCREATE TABLE x (a INT);\nuse b;\n', 1],
    ]
    for (const [text, line] of refused) {
      for (const size of [3, 5_000]) {
        const { out, report } = filtered(text, size)
        assert.equal(report.rejection?.line, line, text)
        assert.notMatch(out, /OUTFILE|INFILE|SONAME|\\!/)
      }
    }
    const settings = filtered(
      "SET GLOBAL max_connections=1;\nSET @@global.x = 1;\nCREATE USER a;\nSET PASSWORD = 'x';\n"
    )
    assert.equal(settings.out.trim(), '')
    assert.deepEqual(buildImportNotes(settings.report), [
      'This import skipped 4 statements: SET GLOBAL (2 times, first in line 1), CREATE USER (line 3), SET PASSWORD (line 4). These statements affect the whole server. Manage users and their rights on the page of the database.',
    ])
  })

  test('keywords can be names in every kind of statement', ({ assert }) => {
    const words = 'user role users grant password function server event trigger definer global'
    for (const word of `${words} schema database tablespace directory soname view`.split(' ')) {
      for (const name of [word, word.toUpperCase(), `\`${word}\``, `shop.${word}`]) {
        const statements = [
          `CREATE TABLE ${name} (id INT)`,
          `CREATE TABLE IF NOT EXISTS ${name} (id INT, ${word} INT, KEY ${word} (${word}))`,
          `create /* a */ temporary -- b\n table ${name} (id INT)`,
          `CREATE OR REPLACE TABLE ${name} (id INT)`,
          `/*!50001 CREATE ALGORITHM=MERGE */ /*!50013 SQL SECURITY INVOKER */ /*!50001 VIEW ${name} AS SELECT 1 */`,
          `CREATE UNIQUE INDEX ${word} ON ${name} (id)`,
          `CREATE TRIGGER ${name} BEFORE INSERT ON ${name} FOR EACH ROW SET NEW.${word} = 1`,
          `CREATE PROCEDURE ${name} (${word} INT) SELECT ${word} FROM ${name}`,
          `CREATE EVENT ${name} ON SCHEDULE EVERY 1 DAY DO DELETE FROM ${name}`,
          `ALTER TABLE ${name} ADD PRIMARY KEY (id)`,
          `ALTER IGNORE TABLE ${name} ADD ${word} INT, ALGORITHM=COPY`,
          `ALTER VIEW ${name} AS SELECT 1`,
          `DROP TABLE IF EXISTS role, ${name}, user`,
          `DROP TEMPORARY TABLE ${name}`,
          `DROP INDEX ${word} ON ${name}`,
          `RENAME TABLE ${name} TO ${word}_2, users TO role`,
          `TRUNCATE TABLE ${name}`,
          `INSERT INTO ${name} VALUES ('DROP USER x')`,
          `UPDATE ${name} SET ${word} = 1`,
          `SET @x = 'SET GLOBAL x = 1, SQL_LOG_BIN, GTID_PURGED'`,
        ]
        for (const statement of statements) {
          const { out, report } = filtered(`${statement};\n`)
          const expected = `${statement};\n`.replaceAll(`shop.${word}`, `\`${word}\``)
          assert.equal(out, expected)
          assert.isNull(report.rejection)
          assert.lengthOf(report.findings, statement.includes('shop.') ? 1 : 0, statement)
        }
      }
    }
  })

  test('the name of the dump’s own database is removed, and no other name', ({ assert }) => {
    // These dumps have no `USE shop`. Only names at the position of a table show that `shop` is a database.
    const removed: [string, string][] = [
      ['INSERT INTO`shop`.`t`(a)VALUES (1)', 'INSERT INTO `t`(a)VALUES (1)'],
      ["REPLACE shop . order VALUES ('shop.t')", "REPLACE   `order` VALUES ('shop.t')"],
      ['INSERT INTO shop.t -- c\n VALUES (1)', 'INSERT INTO `t` -- c\n VALUES (1)'],
      [
        'INSERT INTO shop.t (a) SELECT u.a FROM shop.u u JOIN shop.v ON u.id = v.id',
        'INSERT INTO `t` (a) SELECT u.a FROM `u` u JOIN `v` ON u.id = v.id',
      ],
      ['CREATE TABLE `shop`/**/.`t` (a INT)', 'CREATE TABLE /**/`t` (a INT)'],
      ['CREATE TABLE /*!50000 shop*/ .t (a INT)', 'CREATE TABLE /*!50000 */ `t` (a INT)'],
      ['CREATE TABLE shop.t LIKE shop.u', 'CREATE TABLE `t` LIKE `u`'],
      [
        'CREATE TABLE shop.t (a INT, FOREIGN KEY (a) REFERENCES `shop` .u (id))',
        'CREATE TABLE `t` (a INT, FOREIGN KEY (a) REFERENCES  `u` (id))',
      ],
      ['CREATE UNIQUE INDEX i ON shop.t (a)', 'CREATE UNIQUE INDEX i ON `t` (a)'],
      ['RENAME TABLE shop.t TO shop.u', 'RENAME TABLE `t` TO `u`'],
      [
        'UPDATE shop.a, shop.b SET shop.a.x = shop.b.y WHERE EXISTS (SELECT 1 FROM shop.c)',
        'UPDATE `a`, `b` SET `a`.x = `b`.y WHERE EXISTS (SELECT 1 FROM `c`)',
      ],
      [
        'CREATE VIEW v AS select `shop`.`a`.`x` AS `x`,`shop`.`f`(1) AS `y` from ((`shop`.`a` join `shop`.`b` on((`a`.`x` = `b`.`x`))) join `shop`.`c`)',
        'CREATE VIEW v AS select `a`.`x` AS `x`,`f`(1) AS `y` from ((`a` join `b` on((`a`.`x` = `b`.`x`))) join `c`)',
      ],
      [
        'CREATE TRIGGER shop.g AFTER INSERT ON shop.t FOR EACH ROW INSERT INTO shop.u VALUES (NEW.a)',
        'CREATE TRIGGER `g` AFTER INSERT ON `t` FOR EACH ROW INSERT INTO `u` VALUES (NEW.a)',
      ],
      // If a table is also named shop, `shop.id` is a column of that table.
      [
        'CREATE VIEW v AS SELECT shop.id, shop.shop.id FROM shop.shop',
        'CREATE VIEW v AS SELECT shop.id, `shop`.id FROM `shop`',
      ],
    ]
    for (const [text, expected] of removed) {
      for (const size of [1, 5_000]) {
        const { out, report } = filtered(`${text};\n`, size)
        assert.deepEqual([out, report.rejection], [`${expected};\n`, null])
        assert.match(report.findings[0].what, /^Database name shop: replaced by this database$/)
      }
    }
    const old = filtered(
      'CREATE TRIGGER g BEFORE UPDATE ON old.t FOR EACH ROW SET NEW.a = OLD.a + 1;'
    )
    assert.match(old.out, /ON `t` FOR EACH ROW SET NEW\.a = OLD\.a/)
    const ansi = 'SET sql_mode=\'ANSI_QUOTES\';\nCREATE TABLE "shop" . "t" (a INT);\n'
    assert.match(filtered(ansi).out, /CREATE TABLE +"t" /)
    const same = [
      'SELECT EXTRACT(YEAR FROM t.d), TRIM(\'x\' FROM t.c), 1.5, .5, "a.b" FROM t, u ORDER BY t.x',
      'INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE t.a = u.b',
      'CREATE VIEW v AS SELECT * FROM information_schema.TABLES JOIN mysql.user',
      'UPDATE t SET a = t.b WHERE a LIKE t.c',
    ]
    for (const text of same) {
      const { out, report } = filtered(`${text};\n`)
      assert.deepEqual([out, report.rejection, report.findings], [`${text};\n`, null, []])
    }
  })

  test('statements are committed in groups, and a rollback undoes no more than without groups', ({
    assert,
  }) => {
    const grouped = (text: string, size?: number) =>
      filtered(text, size, { groupsCommits: true }).out
    const rows = 'INSERT INTO t VALUES (1);\n'.repeat(2_500)
    for (const size of [7, 100_000]) {
      const out = grouped(rows, size)
      assert.equal(out.match(/COMMIT;/g)?.length, 3)
      assert.equal(out.replaceAll('COMMIT;', ''), `${rows}\n\n`)
    }
    assert.lengthOf(grouped(`START TRANSACTION;\n${rows}ROLLBACK;\n`).match(/COMMIT;/g)!, 1)
    assert.lengthOf(grouped(`SET autocommit=0;\n${rows}`).match(/COMMIT;/g)!, 1)
    const alone = [
      'ROLLBACK',
      'CALL p()',
      'BEGIN NOT ATOMIC ROLLBACK; END',
      'SET TRANSACTION READ ONLY',
    ]
    for (const text of alone) {
      const out = grouped(`DELIMITER $$\n${text}$$\nDO 1$$ -- end`)
      assert.match(
        out,
        /\nSET autocommit=1\$\$[^$]*\$\$(?:SET SESSION .*\$\$)?SET autocommit=0\$\$\n/
      )
      assert.isTrue(out.endsWith(' -- end\nCOMMIT$$\n'))
    }
    for (const text of ['INSERT INTO t VALUES (1)', 'DELETE FROM t', 'DELETE FROM t -- end'])
      assert.equal(grouped(text), `${text}\n;\nCOMMIT;\n`)
    assert.notInclude(grouped(`START TRANSACTION;\nROLLBACK;\n`), 'autocommit')
    assert.notInclude(grouped('GRANT ALL ON t TO x;\nUSE shop;\n'), 'autocommit')
  })

  test('qualified names of two databases are rejected, except in stored programs', ({ assert }) => {
    const head = '-- Host: localhost    Database: shop\n'
    const refused: [string, number][] = [
      ['CREATE TABLE shop.t (a INT);\nCREATE TABLE blog.t (a INT);', 2],
      ['INSERT INTO shop.t VALUES (1);\nINSERT INTO blog.t VALUES (1);', 2],
      ['USE shop;\nCREATE VIEW v AS SELECT blog.t.a FROM t;', 2],
      ['USE shop;\nDELETE FROM `blog`/* */.`t`;', 2],
      [`${head}CREATE TABLE t (a INT, FOREIGN KEY (a) REFERENCES blog.u (id));`, 2],
    ]
    for (const [text, line] of refused) {
      const { out, report } = filtered(text)
      const words = 'The file contains several databases (shop, blog). Import them one by one.'
      assert.deepEqual([out, report.rejection], ['', { words, line }])
    }
    const body =
      "BEGIN SELECT a INTO x FROM blog.t; INSERT INTO shop.l VALUES (1); SET @q='DELETE FROM `shop`.`t`'; END"
    const { out, report } = filtered(
      `${head}DELIMITER ;;\nCREATE PROCEDURE p(x INT) ${body};;\nDELIMITER ;\n`
    )
    assert.include(out, 'FROM blog.t; INSERT INTO `l` VALUES (1);')
    assert.deepEqual(buildImportNotes(report), [
      'Stored program: it uses the database blog, which it cannot access after this import (line 3)',
      'Stored program: a string with the database name shop was not changed (line 3)',
      'Database name shop: replaced by this database (line 3)',
    ])
  })

  test('users, roles and privileges are skipped and listed, in any spelling', ({ assert }) => {
    const listed: [string, string][] = [
      ['CREATE USER a', 'CREATE USER'],
      ["create or replace user 'a'@'%'", 'CREATE USER'],
      ['CREATE/**/USER IF NOT EXISTS a', 'CREATE USER'],
      ['/*!50706 CREATE USER a */', 'CREATE USER'],
      ['ALTER USER a ACCOUNT LOCK', 'ALTER USER'],
      ['DROP USER IF EXISTS a, b', 'DROP USER'],
      ['RENAME USER a TO b', 'RENAME USER'],
      ['CREATE ROLE a', 'CREATE ROLE'],
      ['DROP ROLE a', 'DROP ROLE'],
      ['GRANT SELECT ON user TO a', 'GRANT'],
      ['REVOKE ALL ON role FROM a', 'REVOKE'],
      ["SET PASSWORD FOR a = 'x'", 'SET PASSWORD'],
      ['SET ROLE a', 'SET ROLE'],
      ['SET DEFAULT ROLE a FOR b', 'SET DEFAULT ROLE'],
      ['CREATE OR REPLACE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST "x")', 'CREATE SERVER'],
      ['CREATE DATABASE IF NOT EXISTS user', 'CREATE DATABASE'],
      ['DROP SCHEMA role', 'DROP DATABASE'],
    ]
    for (const [statement, what] of listed) {
      const { out, report } = filtered(`SELECT 1;\n${statement};\n`)
      assert.equal(out, 'SELECT 1;\n\n', statement)
      assert.deepEqual(
        report.findings.map((each) => [each.what, each.count, each.line]),
        [[what, 1, 2]]
      )
    }
  })

  test('settings that change the parsing of strings are rejected, tracked or reset', ({
    assert,
  }) => {
    const refused: [string, number, RegExp][] = [
      ["SET sql_mode='NO_BACKSLASH_ESCAPES';", 1, /NO_BACKSLASH_ESCAPES/],
      [
        "SELECT 1;\n/*!40101 SET @O=@@SQL_MODE, SQL_MODE='ansi,no_backslash_escapes' */;",
        2,
        /NO_BAC/,
      ],
      ["SET STATEMENT sql_mode='NO_BACKSLASH_ESCAPES' FOR SELECT 1;", 1, /NO_BACKSLASH_ESCAPES/],
      ['SET @@session.sql_mode := ANSI;\nSELECT 1,\n "a\\" ;\n', 3, /ANSI_QUOTES/],
      ["SET NAMES 'gbk';\nINSERT INTO t VALUES ('\xe9\\');\n", 2, /utf8mb4/],
      ['SET NAMES gbk;\nSELECT `\xe9`;\n', 2, /utf8mb4/],
      ['SET NAMES gbk;\nSELECT \xe9`;\n', 2, /utf8mb4/],
      ['SELECT 1; delimiter //\n', 1, /beginning of its line/],
      ["DELIMITER '\n", 1, /DELIMITER/],
      ['SELECT 1;\n\0SELECT 2;\n', 2, /zero byte/],
      ['SELECT 1;\n-- a\0b\n', 2, /zero byte/],
      ['SELECT 1 /* \n a\0b */;\n', 1, /zero byte/],
    ]
    for (const [text, line, words] of refused) {
      for (const size of [1, 7, 5_000]) {
        const { report } = filtered(text, size)
        assert.equal(report.rejection?.line, line, text)
        assert.match(report.rejection!.words, words)
      }
    }
    const same = [
      "SET sql_mode='ANSI_QUOTES';\nCREATE TABLE \"a\" (b TEXT DEFAULT '\\'');\n",
      "SET character_set_client = gbk;\nINSERT INTO t VALUES ('a\\'');\n",
      "SET @OLD_SQL_MODE=@@SQL_MODE, SQL_MODE='NO_AUTO_VALUE_ON_ZERO';\n",
      "INSERT INTO t VALUES ('a\0b\r\n');\n",
    ]
    for (const text of same) assert.equal(filtered(text).out, text)
    for (const text of [
      'SET sql_mode=@OLD;',
      'EXECUTE s;',
      "SET sql_mode='N\\O_BACKSLASH_ESCAPES';",
      'SET sql_mode=0x4E4F5F4241434B534C4153485F45534341504553;',
      "SET sql_mode=x'4E4F';",
      "SET sql_mode=_utf8'ANSI';",
    ]) {
      const { out } = filtered(`${text}\n`)
      assert.isTrue(out.startsWith(`${text}SET SESSION sql_mode = REGEXP_REPLACE(`), text)
      assert.equal(out.split('\n').length, 2)
    }
    for (const text of ['SET NAMES @c;', 'SET character_set_client=0x67626B;'])
      assert.include(filtered(`${text}\n`).out, 'character_set_client = IF(')
  })

  test('a truncated dump is recognized', ({ assert }) => {
    const end = SAMPLE_DUMP.lastIndexOf('-- Dump completed')
    for (const cut of [end, SAMPLE_DUMP.indexOf('DELIMITER ;;'), 60, SAMPLE_DUMP.indexOf('"x"')]) {
      assert.match(
        filtered(SAMPLE_DUMP.slice(0, cut)).report.rejection?.words ?? '',
        /incomplete/,
        String(cut)
      )
    }
    assert.isNull(filtered('CREATE TABLE x (a INT);\nINSERT INTO x VALUES (1)').report.rejection)
  })

  test('statements without effect are not counted, and code hidden by a lone CR is rejected', ({
    assert,
  }) => {
    const idle = ['', ' \n\t', '\uFEFF', '-- x\n/* y */\n# z', ';;', '/*!40101 SET NAMES utf8 */;']
    const others = [
      'SELECT 1',
      'USE shop;\nSET @a = 1;',
      'use shop\n',
      'BEGIN; COMMIT;',
      'DELIMITER $$\n',
    ]
    const leftOut = [
      'CREATE USER a;',
      'CREATE DATABASE a; USE a;',
      'FLUSH TABLES;',
      'ALTER DATABASE a COLLATE x',
    ]
    for (const text of [...idle, ...others, ...leftOut]) {
      for (const size of [1, 5_000]) assert.equal(filtered(text, size).report.changes, 0, text)
    }
    for (const text of [
      'INSERT INTO a VALUES (1)',
      'DROP TABLE a;',
      'CALL a();',
      'BEGIN NOT ATOMIC a',
    ]) {
      assert.equal(filtered(text).report.changes, 1, text)
    }
    const long = 'x'.repeat(5_000)
    const hidden = [
      '-- head\rCREATE TABLE t (i INT);\rINSERT INTO t VALUES (1);\r',
      'CREATE TABLE t (i INT);\r# note\rINSERT INTO t VALUES (1);\r',
      'CREATE TABLE t (\n-- note\ri INT);',
      'INSERT INTO t VALUES (1), -- note\r(2);',
      'DELIMITER $$\rCREATE TABLE t (i INT)$$\r',
      'use shop\rCREATE TABLE t (i INT)',
      `-- ${long}\rDROP TABLE t;`,
    ]
    for (const text of hidden) {
      for (const size of [1, 7, 5_003, 20_000]) {
        assert.match(
          filtered(text, size).report.rejection?.words ?? '',
          /only a carriage return \(CR\)/,
          text
        )
      }
    }
    for (const text of [
      '-- a\r\nDROP TABLE t;\r\n',
      '-- a\r\r\n',
      '# a\r',
      `-- ${long}\r\nSELECT 1;`,
    ]) {
      for (const size of [1, 7, 5_003, 20_000]) {
        assert.deepEqual(
          [filtered(text, size).out, filtered(text, size).report.rejection],
          [text, null]
        )
      }
    }
  })

  test('a statement above max_allowed_packet is rejected before it is sent', ({ assert }) => {
    const long = `INSERT INTO x VALUES ('${'y'.repeat(50_000)}');`
    const { out, report } = filtered(`SELECT 1;\n${long}`, 1_000, { maxPacket: 40_000 })
    assert.equal(report.rejection?.line, 2)
    assert.match(report.rejection!.words, /max_allowed_packet/)
    assert.isBelow(out.length, 42_000)
    assert.deepEqual(filtered(`SELECT 1;\n${long}`).report.longest, { bytes: long.length, line: 2 })
  })

  test('no statement can hide in a comment that only some servers execute', ({ assert }) => {
    const mode = "SET sql_mode='NO_BACKSLASH_ESCAPES'"
    const hidden = [
      ...['99999', '50700', '80000', '100100', '999999'].map((at) => `/*!${at} DO 1 */ ${mode};`),
      `/*M!100100 INSERT INTO t VALUES (1), */ ${mode};`,
      `/*!90000 ( */ /*!80000 ${mode}, @a = */ (SELECT 1);`,
      `SET /*!80000 @a=1, sql_mode= */ /*!90000 @b= */ 'NO_BACKSLASH_ESCAPES';`,
      `CREATE /*!99999 TABLE t (a INT) */ USER a;`,
      `LOAD /*!99999 INDEX INTO CACHE t */ DATA INFILE 'x' INTO TABLE t;`,
      `SELECT 1 /*!99999 ' */; ${mode}; /* ' */;`,
      `INSERT INTO t VALUES (1) /*!99999 " */; ${mode}; -- "`,
      `SELECT 1 /*!99999 \` */; ${mode}; -- \``,
      `SELECT 1 /*!99999 /* */ ' */; ${mode}; -- '`,
      `SELECT 1 /*!99999 -- */; ${mode};\n */`,
      `SELECT 1 /*!99999 ${'x'.repeat(9_000)} ' */; ${mode}; -- '`,
      `/* /*! */ ' */ ${mode}; -- '`,
      'SELECT 1 /*! 2*/*c*/ */;',
      '/* /*! */',
      `INSERT INTO t VALUES (2*/*!99999 ' */1); ${mode}; -- '`,
      `--x '\n${mode};\n-- '`,
      `SELECT 1; --x '\n${mode};\n-- '`,
      `SELECT 1 --\x01 '\n; ${mode}; --\x01'`,
      `SET STATEMENT sql_mode=@x FOR SELECT '\\'; ${mode}; -- '`,
      `SET sql_mode=ANSI_QUOTES;\nSET "sql_mode"='NO_BACKSLASH_ESCAPES';`,
    ]
    for (const text of hidden) {
      for (const size of [1, 5_000, 100_000]) {
        const { out, report } = filtered(`${text}\n`, size)
        assert.isNotNull(report.rejection, text)
        assert.notInclude(out, 'NO_BACKSLASH_ESCAPES')
      }
    }
    for (const text of [
      '/*!50503 SET NAMES utf8mb4 */;\n/*!80000 SET SESSION information_schema_stats_expiry=0 */;',
      '/*M!100616 SET @OLD=@@NOTE_VERBOSITY, NOTE_VERBOSITY=0 */;',
      "CREATE TABLE t (a INT /*!80023 INVISIBLE */, b TEXT COMMENT 'it''s; */' /*!100301 COMPRESSED*/);",
      "CREATE TABLE t (a INT) /*!80016 DEFAULT ENCRYPTION='N' */;",
      'SELECT 2*/* a */3, COUNT(*) /*!80000 + 1 */ - 1;',
      'INSERT INTO t VALUES (2*/* a */3), (/*!80000 1 + */ 1);',
    ]) {
      for (const size of [1, 5_000]) assert.equal(filtered(text, size).out, text)
    }
    assert.equal(filtered('\uFEFF\uFEFFSELECT 1;').out, 'SELECT 1;')
    const noted =
      '/*!50003 CREATE TRIGGER t BEFORE INSERT ON x FOR EACH ROW BEGIN /* a\n */ DO 1; END */;;\n'
    assert.match(
      filtered(`DELIMITER ;;\n${noted}`).out,
      /^DELIMITER ;;\n\/\*!50003 CREATE TRIGGER .* BEGIN  \n DO 1; END \*\/;;\n$/
    )
    const set = filtered('/*!50717 EXECUTE s */;\nSET NAMES latin1, \xA0sql_mode = @b;\n')
    assert.lengthOf(set.out.match(/REGEXP_REPLACE/g)!, 2)
  })

  test('with another DELIMITER, each of several statements is filtered, and bodies of stored programs stay whole', ({
    assert,
  }) => {
    const several = filtered(
      'DELIMITER $$\nDROP TABLE a;\nGRANT ALL ON *.* TO x;\nINSERT INTO t VALUES (1); FLUSH TABLES; USE shop; ' +
        'SET sql_mode=@x; CREATE USER a$$\nSELECT 2$$\n'
    )
    assert.match(
      several.out,
      /^DELIMITER \$\$\nDROP TABLE a;\n\nINSERT INTO t VALUES \(1\); SET sql_mode=@x;SET SESSION sql_mode = .*;\$\$\nSELECT 2\$\$\n$/
    )
    assert.deepEqual(
      several.report.findings.map(({ what, line }) => [what, line]),
      [
        ['GRANT', 3],
        ['FLUSH', 4],
        ['USE', 4],
        ['CREATE USER', 4],
      ]
    )
    const mode = "SET sql_mode='NO_BACKSLASH_ESCAPES'"
    const heads = [
      'SELECT 1',
      'INSERT INTO t VALUES (1)',
      'INSERT INTO t VALUES (1); REPLACE INTO t VALUES (2)',
      'CREATE PROCEDURE p() SELECT 1',
      'CREATE PROCEDURE p() a: BEGIN DECLARE EXIT HANDLER FOR 1062, NOT FOUND BEGIN END; END a',
      'CREATE PROCEDURE p() BEGIN SELECT 1 AS begin; END',
      'CREATE PROCEDURE p() IF 1 THEN DO 1; ELSE BEGIN END; END IF',
      'CREATE FUNCTION f() RETURNS INT RETURN CASE WHEN 1 THEN 2 END',
      'CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW FOLLOWS a BEGIN END',
      'CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO BEGIN END',
      'BEGIN NOT ATOMIC REPEAT DO 1; UNTIL 1 END REPEAT; END',
      'WHILE 0 DO BEGIN END; END WHILE',
      'CREATE PROCEDURE p() /*!99999 BEGIN */ DO 1',
    ]
    for (const head of heads) {
      for (const delimiter of ['$$', ';;', '//']) {
        const text = `DELIMITER ${delimiter}\n${head}; ${mode}${delimiter}\n`
        for (const size of [1, 5_000]) assert.isNotNull(filtered(text, size).report.rejection, text)
      }
      const left = filtered(`DELIMITER $$\n${head};\nCREATE USER a;\n$$\n`)
      if (!/begin;|99999/.test(head)) assert.notInclude(left.out, 'USER', head)
    }
    for (const text of [
      'SET sql_mode=\'ANSI_QUOTES\'; SELECT "\\"; DO 1; -- "',
      "SET NAMES gbk; SELECT '\xE9\\'; DO 1; -- '",
      'SET NAMES gbk; SELECT `\xE9``; DO 1; -- `',
    ]) {
      assert.isNotNull(filtered(`DELIMITER $$\n${text}$$\n`).report.rejection, text)
    }
    const whole = [
      'CREATE TRIGGER t BEFORE INSERT ON x FOR EACH ROW BEGIN SET @a=1; SET @b=2; END',
      'CREATE PROCEDURE p (begin_at INT) COMMENT "a;b" BEGIN CASE a WHEN 1 THEN SET b = CASE 1 WHEN 1 THEN 2 END; ELSE BEGIN END; END CASE; END',
      'CREATE PROCEDURE p() BEGIN PREPARE s FROM @q; EXECUTE s; SET @a = "it\\"s"; SET sql_mode = @old; END',
      'CREATE FUNCTION f() RETURNS SET("a") BEGIN DECLARE c CURSOR FOR SELECT 1; l: LOOP LEAVE l; END LOOP l; RETURN IF(1, "a", ""); END',
      'CREATE FUNCTION f() RETURN INT IS BEGIN EXECUTE IMMEDIATE "DO 1"; RETURN 1; END',
      'CREATE PROCEDURE p() BEGIN FOR i IN 1..3 DO FLUSH TABLES; END FOR; DROP USER a; END',
    ]
    for (const body of whole) {
      for (const end of ['$$', ';\n$$', '; -- end\n$$']) {
        const text = `DELIMITER $$\n${body}${end}\n${body}${end}\nDELIMITER ;\nSELECT 1;\n`
        const { out, report } = filtered(text)
        assert.deepEqual([report.rejection, report.findings], [null, []], text)
        assert.equal(out.replaceAll(/SET SESSION [^$]*\$\$/g, ''), text)
      }
    }
  })

  test('unusual but valid comments, index caches and quoted names are accepted', ({ assert }) => {
    const same = [
      '-- Written\rby hand\nSELECT 1;\n',
      '/* a\rSELECT */ SELECT 1;\n',
      '-- a\r-- b\r# c\n',
      'CREATE PROCEDURE p()\n-- Author\r-- and date\rof it\nSELECT 1;\n',
      "INSERT INTO t VALUES ('-- a\rSELECT 1;');\n",
      'LOAD INDEX INTO CACHE a, b IGNORE LEAVES;\nCACHE INDEX a IN hot;\n',
    ]
    for (const text of same) {
      for (const size of [1, 7, 5_000]) {
        const { out, report } = filtered(text, size)
        assert.deepEqual([out, report.rejection], [text, null])
      }
    }
    assert.equal(filtered(same.at(-1)!).report.changes, 0)
    const hidden = [
      'SELECT 1;',
      'begin',
      '  drop table t',
      'x := 1;',
      '/*!40101 SET @a=1 */',
      '\\! id',
    ]
    for (const code of hidden) {
      for (const text of [
        `-- a\r${code}\n`,
        `CREATE PROCEDURE p()\n# a\r \r${code}\nSELECT 1;\n`,
      ]) {
        for (const size of [1, 5_000])
          assert.match(
            filtered(text, size).report.rejection?.words ?? '',
            /only a carriage return \(CR\)/,
            text
          )
      }
    }
    for (const definer of [
      '`a``b`@`c``d`',
      "'a''b' @ '%'",
      '"a""b"@"c"',
      'a@b.c',
      'CURRENT_USER()',
    ]) {
      const { out, report } = filtered(`CREATE DEFINER = ${definer} VIEW v AS SELECT 1;\n`)
      assert.match(out, /^CREATE +VIEW v AS SELECT 1;\n$/)
      assert.deepEqual([report.rejection, report.findings.length], [null, 1])
    }
  })

  test('names of databases are compared as the server does', ({ assert }) => {
    const words = (text: string, ignoresCase?: boolean) =>
      filtered(text, 100, { ignoresCase }).report.rejection?.words ?? ''
    assert.match(
      words('USE a; USE A;'),
      /\(a, A\)\. Names that differ only in capital letters are different/
    )
    assert.match(words('CREATE DATABASE `a``b`; use a\n'), /\(a`b, a\)\. Import/)
    assert.equal(words('CREATE DATABASE Shop; USE shop;\nuse SHOP\n', true), '')
    const many = Array.from({ length: 14 }, (_, at) => `USE d${at};`).join('\n')
    assert.match(words(many), /\(d0, d1, .*, d9 and 4 more\)/)
  })

  test('the time to filter a long statement is proportional to its length', ({ assert }) => {
    const cpuTimeOf = (length: number) => {
      const text = `UPDATE t SET a = ${'1+'.repeat(length / 2)}1;`
      const began = process.cpuUsage()
      assert.isTrue(filtered(text, 16_384).out === text)
      return process.cpuUsage(began).user
    }
    cpuTimeOf(1024 ** 2)
    // The longer statement has 8 times the bytes. A filter that copied it for each chunk took over 30 times as
    // long.
    assert.isBelow(cpuTimeOf(12 * 1024 ** 2) / cpuTimeOf(1.5 * 1024 ** 2), 20)
  })

  test('long string literals outside of rows do not overflow the stack', ({ assert }) => {
    for (const part of ['x', "\\'"]) {
      const long = part.repeat((15 * 1024 ** 2) / part.length)
      for (const head of ['UPDATE t SET a =', 'CREATE PROCEDURE p() SELECT']) {
        const text = `${head} '${long}';`
        const { out, report } = filtered(text, 16 * 1024 ** 2)
        assert.isNull(report.rejection)
        assert.isTrue(out === text)
      }
    }
  })
})

test.group('MySQL | exports for other servers', () => {
  const rewritten = async (dump: string, size: number) => {
    const portable = new PortableDump()
    const bytes = Buffer.from(dump)
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size)
    )
    return { out: await text(Readable.from(parts).pipe(portable)), comments: portable.comments() }
  }

  test('settings of MariaDB move into comments that MySQL skips, and data stays unchanged', async ({
    assert,
  }) => {
    const data = `INSERT INTO \`t\` VALUES\n(1,'/*!50013 DEFINER=\`a\`@\`b\` SQL SECURITY DEFINER */ ভাষা');\n('${'x'.repeat(70_000)}');\n`
    const body = `BEGIN\nSELECT 'CREATE DEFINER=\`a\`@\`b\` PROCEDURE';\nCREATE DEFINER=\`a\`@\`b\` VIEW v AS SELECT 1;\nEND ;;\n`
    const dump = `/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump\n
CREATE SEQUENCE \`s\` start with 1 ENGINE=InnoDB;
DO SETVAL(\`s\`, 1, 0);
CREATE TABLE \`t\` (
  \`u\` uuid DEFAULT uuid(),
  \`d\` longtext DEFAULT json_object('a)', '[]') CHECK (json_valid(\`d\`)),
  \`tags\` longtext COLLATE utf8mb4_bin DEFAULT _utf8mb4'[]' COMMENT ' DEFAULT uuid()',
  \`at\` datetime(6) DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6),
  \`x\` varchar(9) COLLATE utf8mb4_uca1400_as_ci DEFAULT ' COLLATE=utf8mb4_uca1400_ai_ci'
) ENGINE=InnoDB COLLATE=utf8mb4_uca1400_ai_ci COMMENT='it''s COLLATE=utf8mb4_uca1400_ai_ci';
${data}/*!50003 SET collation_connection  = utf8mb4_uca1400_ai_ci */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER' */ ;
DELIMITER ;;
CREATE DEFINER=\`ber\`\`th\`@\`%\` PROCEDURE \`p\`()
${body}DELIMITER ;
DELIMITER ;;
CREATE DEFINER="x"@"%" PACKAGE "k" AS FUNCTION one RETURN INT; END
;;
DELIMITER ;
DELIMITER ;;
CREATE DEFINER="x"@"%" FUNCTION "f"(a INT) RETURNS varchar(9) CHARSET utf8mb4 COLLATE utf8mb4_uca1400_ai_ci
RETURN 'a' ;;
DELIMITER ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50017 DEFINER=\`x\`@\`y\`*/ /*!50003 TRIGGER t BEFORE INSERT ON t FOR EACH ROW SET @a = 1 */;;
DELIMITER ;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 DEFINER=\`x\`@\`y\` SQL SECURITY INVOKER */
/*!50001 VIEW \`v\` AS select 1 */;
-- Dump completed`
    const expected = `-- MariaDB dump\n
/*M!100300 CREATE SEQUENCE \`s\` start with 1 ENGINE=InnoDB */;
/*M!100300 DO SETVAL(\`s\`, 1, 0) */;
CREATE TABLE \`t\` (
  \`u\` uuid DEFAULT (uuid()),
  \`d\` longtext DEFAULT (json_object('a)', '[]')) CHECK (json_valid(\`d\`)),
  \`tags\` longtext COLLATE utf8mb4_bin DEFAULT (_utf8mb4'[]') COMMENT ' DEFAULT uuid()',
  \`at\` datetime(6) DEFAULT current_timestamp(6) ON UPDATE current_timestamp(6),
  \`x\` varchar(9) /*M!101001 COLLATE utf8mb4_uca1400_as_ci */ DEFAULT ' COLLATE=utf8mb4_uca1400_ai_ci'
) ENGINE=InnoDB /*M!101001 COLLATE=utf8mb4_uca1400_ai_ci */ COMMENT='it''s COLLATE=utf8mb4_uca1400_ai_ci';
${data}/*!50003 SET collation_connection  = utf8mb4_unicode_ci */ ;
/*M!101001 SET collation_connection = utf8mb4_uca1400_ai_ci */ ;
/*!50003 SET sql_mode              = 'STRICT_TRANS_TABLES' */ ;
/*M!100000 SET sql_mode = 'STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER' */ ;
DELIMITER ;;
CREATE PROCEDURE \`p\`()
${body}DELIMITER ;
DELIMITER ;;
CREATE PACKAGE "k" AS FUNCTION one RETURN INT; END
;;
DELIMITER ;
DELIMITER ;;
CREATE FUNCTION "f"(a INT) RETURNS varchar(9) CHARSET utf8mb4 /*M!101001 COLLATE utf8mb4_uca1400_ai_ci */
RETURN 'a' ;;
DELIMITER ;
DELIMITER ;;
/*!50003 CREATE*/ /*!50003 TRIGGER t BEFORE INSERT ON t FOR EACH ROW SET @a = 1 */;;
DELIMITER ;
/*!50001 CREATE ALGORITHM=UNDEFINED */
/*!50013 SQL SECURITY INVOKER */
/*!50001 VIEW \`v\` AS select 1 */;
-- Dump completed`
    for (const size of [7, 1_000, 1_000_000]) {
      const { out, comments } = await rewritten(dump, size)
      assert.isTrue(out === expected, out.replace(/x{99,}/, '…'))
      assert.match(comments, /sequences, columns of type uuid, collation utf8mb4_uca1400_as_ci/)
    }
  })
})
