import { guessColumns } from '#billing/statements/guess_columns'
import { readStatementRows } from '#billing/statements/read_statement_rows'
import { readStatementTable } from '#billing/statements/read_table'
import {
  DEFAULT_REGIONAL_SETTINGS,
  regionalSettings,
  setRegionalSettings,
} from '#core/settings/regional_settings'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'

/**
 * Files in `tests/corpus/statements`, the currency of payments, and the expected outcomes. An
 * outcome is the received amount, or the reason why no money was received. Its key is the
 * transaction ID of a received, failed, pending or reversed transfer, and otherwise the row number.
 */
const STATEMENTS: [string, string, Record<string, string>][] = [
  ['bkash.csv', 'BDT', { BKA1B2C3D4: '1500.50', BKA1B2C3D5: 'reversed', BKA1B2C3D6: 'pending' }],
  [
    'bkash_merchant_portal.csv',
    'BDT',
    { CKR7M2P9QX: '122500.00', CKR7M2P9QY: '250.00', '3': 'outgoing' },
  ],
  [
    'bkash_whole_amounts.csv',
    'BDT',
    { '9ALPHA0001': '1500.00', '9ALPHA0002': '12250.00', '9ALPHA0003': '980.00' },
  ],
  ['bkash_without_quotes.csv', 'BDT', { '1': 'more cells', '9BETA00002': '980.00' }],
  [
    'split_amounts.csv',
    'BDT',
    { '1': 'more cells', '2': 'more cells', X9ALPHA003: '980.00', X9ALPHA004: '1500.00' },
  ],
  [
    'split_amounts_trailing_commas.csv',
    'BDT',
    {
      '1': 'more cells',
      '2': 'more cells',
      X9BETA0003: '980.00',
      X9BETA0004: '500.00',
      '5': 'more cells',
    },
  ],
  ['nagad.csv', 'BDT', { '71NG2CD3': '1500.50', '71NG2CD4': 'failed', '3': 'outgoing' }],
  [
    'nagad_bangla.csv',
    'BDT',
    { '72NH0A1B': '1500.50', '72NH0A1C': 'failed', '72NH0A1D': 'pending' },
  ],
  [
    'rocket.csv',
    'BDT',
    { '4100200300': '2000.00', '4100200301': 'failed', '4100200302': 'pending' },
  ],
  ['rocket_agent.csv', 'BDT', { '5301844021': '2450.00', '2': 'outgoing', '5301844023': 'failed' }],
  ['upay.csv', 'BDT', { UPY26112700001: '3675.00', UPY26112700002: 'failed' }],
  ['bank_with_deposits.csv', 'BDT', { NP2611270001: '12250.00', '2': 'outgoing' }],
  ['bank_with_status.csv', 'BDT', { FT26331A1: '4900.00', FT26331A2: 'reversed', '3': 'outgoing' }],
  [
    'city_bank.csv',
    'BDT',
    { FT263311A2B3: '12250.00', '2': 'outgoing', '3': 'not a transaction ID' },
  ],
  [
    'brac_bank.csv',
    'BDT',
    { 'BEFTN-331-778812': '4900.00', '2': 'outgoing', '3': 'not a transaction ID' },
  ],
  ['dbbl.csv', 'BDT', { DB3310098: '1225.00', '2': 'outgoing' }],
  ['hsbc.csv', 'BDT', { HB26331A1: '1225.00', '2': 'outgoing', '3': 'not a transaction ID' }],
  [
    'sparkasse.csv',
    'EUR',
    {
      'RE-2026-0042': '1500.50',
      'RE-2026-0043': '1500.00',
      '3': 'outgoing',
      'RE-2026-0044': 'pending',
      '5': 'not a transaction ID',
    },
  ],
  [
    'deutsche_bank.csv',
    'EUR',
    { 'HOST-0042': '1500.50', '2': 'in CHF', '3': 'outgoing', '4': 'outgoing' },
  ],
  [
    'german_statuses.csv',
    'EUR',
    {
      'HOST-0071': '1500.50',
      'HOST-0072': '250.00',
      'HOST-0073': 'failed',
      'HOST-0074': 'failed',
      'HOST-0075': 'failed',
      'HOST-0076': 'failed',
      'HOST-0077': 'failed',
      'HOST-0078': 'failed',
      'HOST-0079': 'pending',
      'HOST-0080': 'pending',
      'HOST-0081': 'pending',
    },
  ],
  ['german_whole_amounts.csv', 'EUR', { '1': 'is ambiguous', 'HOST-0052': '250.00' }],
  [
    'mixed_separators.csv',
    'EUR',
    { MIX0001: '1500.50', MIX0002: '1500.50', '3': 'is ambiguous', '4': 'is ambiguous' },
  ],
  [
    'unpaired_quote.csv',
    'EUR',
    { REF0000: '12.00', '2': 'A quotation mark is not closed', REF0004: '20.00', REF0005: '21.00' },
  ],
  ['swiss_bank.csv', 'EUR', { 'HOST-0061': '1500.50', 'HOST-0062': '12345.00' }],
  [
    'paypal.csv',
    'USD',
    {
      '8AB12345CD678901E': '1250.00',
      '2': 'outgoing',
      '3': 'in EUR',
      '4': 'outgoing',
    },
  ],
  [
    'paypal_german.csv',
    'EUR',
    { '9AB12345CD678901E': '1250.00', '2': 'outgoing', '3': 'outgoing' },
  ],
  ['account_currency.csv', 'EUR', { 'HOST-0091': '1500.50', '2': 'in CHF' }],
  ['transaction_currency.csv', 'USD', { TXN00001: '1225.50', '2': 'in GBP' }],
  [
    'info_before_status.csv',
    'EUR',
    { 'HOST-0095': '1500.50', 'HOST-0096': 'failed', 'HOST-0097': '20.00' },
  ],
  ['wise.csv', 'USD', { 'TRANSFER-1234567890': '1225.50', '2': 'outgoing', '3': 'in GBP' }],
]

/** Matches the parts of error messages that `STATEMENTS` contains as outcomes. */
const PROBLEMS =
  /more cells|A quotation mark is not closed|not a transaction ID|is ambiguous|in [A-Z]{3}(?=,)/

async function outcomesOf(file: string): Promise<Record<string, string>> {
  const bytes = await readFile(app.makePath('tests/corpus/statements', file))
  const columns = guessColumns((await readStatementTable(bytes)).head)
  const outcomes: Record<string, string> = {}
  let count = 0
  for await (const { read } of readStatementRows(bytes, columns)) {
    count += 1
    if ('line' in read) outcomes[read.line.trxId] = read.line.amount
    else if ('unknown' in read) outcomes[count] = `unknown ${read.unknown.term}`
    else if ('wrong' in read) outcomes[count] = PROBLEMS.exec(read.wrong)?.[0] ?? read.wrong
    else if (read.passed === 'failed') outcomes[read.failed!.trxId] = read.failed!.outcome
    else outcomes[count] = read.passed
  }
  return outcomes
}

test.group('Statements of operators and banks', (group) => {
  group.each.setup(() => {
    const before = regionalSettings()
    return () => setRegionalSettings(before)
  })

  test('are read with the guessed columns: {0}')
    .with(STATEMENTS)
    .run(async ({ assert }, [file, currency, expected]) => {
      setRegionalSettings({ ...DEFAULT_REGIONAL_SETTINGS, currency, symbol: currency })
      assert.deepEqual(await outcomesOf(file), expected)
    })
})
