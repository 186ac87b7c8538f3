import { csvHeader, csvLine } from '#databases/query/csv'
import { leadingKeywords, statementKind } from '#databases/query/read_only'
import { groupSlowRuns, normalizeStatement } from '#databases/query/slow_statements'
import { capacityWarning } from '#databases/query/capacity_warning'
import { StatementError, toStatementError } from '#databases/query/statement_errors'
import { startCpuTimer } from '#tests/support/cpu_timer'
import { test } from '@japa/runner'

test.group('Queries: CSV, audit log and messages', () => {
  test('the audit log contains the kind of a statement, never a value', ({ assert }) => {
    const said = [
      `update users set password = 'secret'`,
      `/* a */ ( -- b\n insert into x values ('secret')`,
      'create table x (a int)',
      `secret'`,
      `'secret'`,
      '123',
      'drop /* x */ view y',
      'select* from x',
    ].map(leadingKeywords)
    assert.deepEqual(said, [
      'UPDATE',
      'INSERT INTO',
      'CREATE TABLE',
      '',
      '',
      '',
      'DROP VIEW',
      'SELECT',
    ])
    const command = '{ "insert": "users", "documents": [{ "password": "secret" }] }'
    assert.equal(statementKind('mongodb', command), 'insert')
    assert.equal(statementKind('mongodb', '{ "secret": 1 }'), '')
  })

  test('CSV has quotes, distinguishes NULL from an empty string, and contains no formulas', ({
    assert,
  }) => {
    const columns = [
      { name: 'a,"b"', kind: 'text' },
      { name: '=c', kind: 'number' },
      { name: 'd', kind: 'text' },
    ]
    assert.equal(csvHeader(columns), `\ufeff"a,""b""",'=c,d\r\n`)
    assert.equal(csvHeader(columns, true), `"a,""b""",=c,d\r\n`)
    assert.equal(csvLine(columns, [null, '-5', '']), ',-5,""\r\n')
    assert.equal(csvLine(columns, ['=1+1', '1', '@x']), `'=1+1,1,'@x\r\n`)
    assert.equal(csvLine(columns, ['-1', '1', '\tx']), `'-1,1,'\tx\r\n`)
    assert.equal(csvLine(columns, ['=1+1', '1', '+x'], true), '=1+1,1,+x\r\n')
    assert.equal(csvLine(columns, ['a\r\nb', '1', ' x']), '"a\r\nb",1," x"\r\n')
  })

  test('slow statements are shown without their values', ({ assert }) => {
    const cases: [string, string][] = [
      [
        `select * from t where a = 'it''s' and b = "x\\"y" and c = -5`,
        'select * from t where a = ? and b = ? and c = ?',
      ],
      [
        'select * from `order 66` where id in (1, 2,3)',
        'select * from `order 66` where id in (?, …)',
      ],
      [`insert into t values (1, 'a'), (2, 'b'),(3, x'ff')`, 'insert into t values (?, …), …'],
      [`/* user 5 */ select 0xff, 1.5e10, t1.c2 -- 'x\nfrom t1;`, 'select ?, ?, t1.c2 from t1'],
      [`create user x identified by 'secret`, 'create user x identified by ?'],
      [`update t set a = 'cut off \\`, 'update t set a = ?'],
      ['select a - 1 from t limit 10,20', 'select a - ? from t limit ?,?'],
    ]
    for (const [sql, wanted] of cases) assert.equal(normalizeStatement(sql), wanted)
    assert.isBelow(normalizeStatement(`select '${'x'.repeat(5e5)}`).length, 20)
  })

  test('slow statements with the longest total time come first', ({ assert }) => {
    const at = (second: number) => new Date(second * 1_000).toISOString()
    const runs = [
      { sql: 'select 1', took: 3, at: at(1) },
      { sql: 'select * from t where a = 1', took: 2, at: at(5) },
      { sql: 'select * from t where a = 2', took: 4, at: at(2) },
    ]
    assert.deepEqual(groupSlowRuns(runs), [
      { statement: 'select * from t where a = ?', count: 2, mean: 3, max: 4, last: at(5) },
      { statement: 'select ?', count: 1, mean: 3, max: 3, last: at(1) },
    ])
  })

  test('an instance that is too small gets one warning, the most urgent', ({ assert }) => {
    const gb = 1024 ** 3
    const well = { data: gb, largestBytes: gb, pool: gb / 8, memory: 2 * gb, free: 20 * gb }
    assert.isNull(capacityWarning(well))
    assert.isNull(
      capacityWarning({ data: null, largestBytes: null, pool: null, memory: gb, free: null })
    )
    assert.include(capacityWarning({ ...well, free: gb / 4 })!, 'cannot save changes')
    assert.include(
      capacityWarning({ ...well, data: 30 * gb, largestBytes: 25 * gb })!,
      'so it may fail'
    )
    assert.include(capacityWarning({ ...well, largestBytes: 17 * gb })!, 'so it may fail')
    assert.isNull(capacityWarning({ ...well, largestBytes: 15 * gb }))
    assert.include(capacityWarning({ ...well, pool: 2 * gb })!, 'innodb_buffer_pool_size')
    assert.include(capacityWarning({ ...well, data: 3 * gb })!, '3.0 GB')
  })

  test('an error message that the statement itself raises cannot name a line that does not exist', ({
    assert,
  }) => {
    const sql = 'signal me\nx'
    const sqlMessage = `near 'x' at line 500000000`
    const error = Object.assign(new Error(sqlMessage), { errno: 1644, sqlMessage })
    const cpuMs = startCpuTimer()
    const thrown = toStatementError(error, { sql, write: false, timeout: 5 })
    assert.isBelow(cpuMs(), 2_000)
    assert.deepInclude((thrown as StatementError).fault, { line: 2, position: 10 })
  })
})
