import { guessColumns } from '#billing/statements/guess_columns'
import { readStatementTable } from '#billing/statements/read_table'
import { parseStatementRow } from '#billing/statements/statement_row'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'

/** Transaction IDs of `tests/corpus/statements`, with the received taka or the outcome. */
const STATEMENTS: [string, Record<string, string>][] = [
  ['bkash.csv', { BKA1B2C3D4: '1500.50', BKA1B2C3D5: 'reversed', BKA1B2C3D6: 'pending' }],
  ['nagad.csv', { '71NG2CD3': '1500.50', '71NG2CD4': 'failed', '3': 'outgoing' }],
  ['rocket.csv', { '4100200300': '2000.00', '4100200301': 'failed', '4100200302': 'pending' }],
  ['bank_with_deposits.csv', { NP2611270001: '12250.00', '2': 'outgoing' }],
  ['bank_with_status.csv', { FT26331A1: '4900.00', FT26331A2: 'reversed', '3': 'outgoing' }],
]

test.group('Statements of operators and banks', () => {
  test('are read with the guessed columns: {0}')
    .with(STATEMENTS)
    .run(async ({ assert }, [file, expected]) => {
      const bytes = await readFile(app.makePath('tests/corpus/statements', file))
      const { head, rows } = await readStatementTable(bytes)
      const columns = guessColumns(head)
      const found: Record<string, string> = {}
      let count = 0
      for await (const { cells } of rows) {
        count += 1
        const read = parseStatementRow(cells, columns)
        if ('line' in read) found[read.line.trxId] = read.line.amount
        else if ('wrong' in read) found[count] = read.wrong
        else if (read.passed === 'failed') found[read.failed!.trxId] = read.failed!.outcome
        else found[count] = read.passed
      }
      assert.deepEqual(found, expected)
    })
})
