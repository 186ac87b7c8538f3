import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import Bill from '#billing/models/bill'
import {
  listExactlyMatchedBillIds,
  statementMatchListDefinition,
  loadStatementPage,
  listUnmatchedPayments,
  loadTransferMatches,
} from '#billing/queries/statements'
import { approveExactlyMatchedBills } from '#billing/statements/approve_exactly_matched_bills'
import {
  startExactMatchApproval,
  deleteStatement,
} from '#billing/statements/approve_matches_or_delete_statement'
import { type TermAnswers, termAnswers } from '#billing/statements/column_terms'
import { guessColumns } from '#billing/statements/guess_columns'
import { assertExactMatch } from '#billing/statements/assert_exact_match'
import { parseTaka } from '#billing/statements/statement_amount'
import { parseStatementRow, maskedAccountPattern } from '#billing/statements/statement_row'
import { saveColumnMapping } from '#billing/statements/column_mapping'
import { readStatementTable } from '#billing/statements/read_table'
import { storeStatement } from '#billing/statements/store_statement'
import {
  freshTrx,
  makeBill,
  makeExternalBill,
  makeStatement,
  setMerchantAccount,
} from '#billing/tests/fixtures'
import { parseListRequest } from '#core/list_page'
import Operation from '#core/models/operation'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import fc from 'fast-check'
import { randomInt, randomUUID } from 'node:crypto'

const by = { actor: null }
const PAYER_NUMBER = '01711000000'
const columns = { trx_id: 0, amount: 1, account: 2, at: -1, direction: -1, status: -1 }

async function claimed(takas: (string | null)[] = [null], account = PAYER_NUMBER) {
  const bill = await makeBill(await makeCustomer())
  const parts = takas.map((taka) => ({ trxId: freshTrx(), taka }))
  await reportBillPayment(bill, { accountNumber: account, reference: null, parts }, by)
  const payments: { trx_id: string; taka: string }[] = await db
    .from('bill_payments')
    .where('bill_id', bill.id)
    .orderBy('id')
  const told = payments.map(({ trx_id: trxId, taka: amount }) => ({ trxId, amount, account }))
  return { bill, told }
}

const asked = (query: object = {}) =>
  parseListRequest({ request: { qs: () => query } } as never, statementMatchListDefinition)

async function statesOf(id: number): Promise<Record<string, string>> {
  const { matches } = await loadStatementPage(id, asked({ length: '500' }))
  return Object.fromEntries(matches.map(({ trx_id: trx, state }) => [trx, state]))
}

const statusOf = async ({ id }: Bill) => (await Bill.findOrFail(id)).status

const over = (id: string) =>
  eventually(async () => {
    const operation = await Operation.findOrFail(id)
    if (operation.status !== 'done') throw new Error(`${operation.status}: ${operation.error}`)
    return operation
  })

const rowsOf = async (file: Buffer) => {
  const sheet = await readStatementTable(file)
  const rows: string[][] = []
  for await (const { cells } of sheet.rows) rows.push(cells)
  return { ...sheet, rows }
}

test.group('A statement file', () => {
  test('is read below its preamble, with any delimiter and encoding', async ({ assert }) => {
    const text = [
      'Statement of 01800000000;;',
      '',
      'From;01/11/2026;',
      'SL;Trx Id;Transacted Amount',
      '1;8N7A6D5EE7;1,500.00',
      '2;"9A;B";20',
    ].join('\r\n')
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
    const rows = [
      ['1', '8N7A6D5EE7', '1,500.00'],
      ['2', '9A;B', '20'],
    ]
    const fingerprints = new Set<string>()
    for (const file of [Buffer.from(text), Buffer.from(`\ufeff${text}`), utf16]) {
      const sheet = await rowsOf(file)
      assert.deepEqual(sheet.head, ['SL', 'Trx Id', 'Transacted Amount'])
      assert.deepEqual(sheet.rows, rows)
      fingerprints.add(sheet.fingerprint)
    }
    assert.equal(fingerprints.size, 1)
    const tabs = await rowsOf(Buffer.from(text.replaceAll(';', '\t')))
    assert.lengthOf(tabs.rows, 2)
    const western = await rowsOf(Buffer.from('Trx Id,Caf\xe9,Amount\nA1B2,x,5\n', 'latin1'))
    assert.equal(western.head[1], 'Café')
  })

  test('is rejected with the next step if it cannot be read', async ({ assert }) => {
    const refused: [Buffer, RegExp][] = [
      [Buffer.from('PK\x03\x04'), /workbook cannot be read/],
      [Buffer.from('%PDF-1.7'), /as CSV/],
      [Buffer.from('nothing here'), /no table/],
      [Buffer.from(''), /no table/],
      [Buffer.from('a,b\n\0\0'), /cannot be read/],
      [Buffer.from(`a,b\n"${'x'.repeat(200_000)}`), /cannot be read/],
      [
        Buffer.from('ID;Name;Betrag\nREF1;"Firma "Best" GmbH";1,00\nREF2;Karl, Otto;99,00\n'),
        /cannot be read/,
      ],
      [Buffer.from(`a,b\n${'1,2\n'.repeat(100_001)}`), /more than 100,000 rows/],
    ]
    for (const [file, why] of refused) {
      const error = await rowsOf(file).catch((reason: { errors?: { file?: string } }) => reason)
      assert.match(JSON.stringify((error as { errors?: object }).errors), why)
    }
  })

  test('has columns that are guessed for known operators', ({ assert }) => {
    const bkash =
      'SL,Trx Id,Transaction Date,Trx Type,Sender,Receiver,Receiver Name,Reference,Transacted Amount,Fee,Balance'
    const nagad =
      'TXN_DATE_TIME,TXN ID,TXN TYPE,TXN_WITH_ACC,REFERENCE,TXN_TYPE_DR_CR,TXN_AMT,STATUS'
    const bangla = 'তারিখ,লেনদেন আইডি,প্রেরক,টাকা'
    assert.containSubset(guessColumns(bkash.split(',')), {
      trx_id: 1,
      amount: 8,
      account: 4,
      at: 2,
      direction: -1,
      status: -1,
    })
    assert.containSubset(guessColumns(nagad.split(',')), {
      trx_id: 1,
      amount: 6,
      account: 3,
      at: 0,
      direction: 5,
      status: 7,
    })
    assert.containSubset(guessColumns(bangla.split(',')), {
      trx_id: 1,
      amount: 3,
      account: 2,
      at: 0,
    })
    assert.containSubset(guessColumns(['a', 'b']), { trx_id: -1, amount: -1 })
  })
})

test.group('A statement row', () => {
  test('has an amount in the formats of Bangladesh, or none', ({ assert }) => {
    const amounts: [string, string | null][] = [
      ['1500', '1500'],
      ['1,22,500.00', '122500'],
      ['৳ 1,500.50', '1500.5'],
      ['BDT 1500.5 Cr', '1500.5'],
      ['1500.00 Tk.', '1500'],
      ['(500.00)', '-500'],
      ['-500', '-500'],
      ['৳ -500', '-500'],
      ['500.00-', '-500'],
      ['500 Dr', '-500'],
      ['1500.500', '1500.5'],
      ['1.500', null],
      ['1500.505', null],
      ['1.500,50', null],
      ['15,00', null],
      ['2026-11-24', null],
      ['12:30', null],
      ['1e5', null],
      ['', null],
      ['৳', null],
      ['999999999999999', null],
    ]
    for (const [text, amount] of amounts) {
      assert.equal(parseTaka(text)?.toFixed() ?? null, amount, `“${text}”`)
    }
  })

  test('is skipped if no money arrived, and reported if it is unreadable', ({ assert }) => {
    const all = { ...columns, direction: 3, status: 4 }
    const read = (cells: string[]) => parseStatementRow(cells, all, { separators: new Set() })
    const good = ['8n7a 6d5e', '১,৫০০.৫০', '+880 1711-000000', 'CR', 'Success']
    assert.deepEqual(read(good), {
      line: {
        trxId: '8N7A6D5E',
        amount: '1500.50',
        account: '+880 1711-000000',
        accountLike: '01711000000',
        at: null,
      },
    })
    const guarded = read(['="0012345678"', ...good.slice(1)])
    assert.equal('line' in guarded && guarded.line.trxId, '0012345678')
    for (const cells of [
      [...good.slice(0, 3), 'DR', 'Success'],
      [good[0], '-20', ...good.slice(2)],
      [good[0], '', ...good.slice(2)],
    ]) {
      assert.deepEqual(read(cells), { passed: 'outgoing' })
    }
    for (const status of ['FAILED', 'Reversed', 'Pending']) {
      assert.containSubset(read([...good.slice(0, 4), status]), { passed: 'failed' })
    }
    for (const [cells, why] of [
      [['1.23E+11', ...good.slice(1)], /spreadsheet/],
      [['', ...good.slice(1)], /not a transaction ID/],
      [["x'; drop table", ...good.slice(1)], /not a transaction ID/],
      [[good[0], 'many', ...good.slice(2)], /not an amount/],
    ] as const) {
      const row = read([...cells])
      assert.match('wrong' in row ? row.wrong : '', why)
    }
  })

  test('with an unknown term does not count as received until staff say what the term means', ({
    assert,
  }) => {
    const all = { ...columns, direction: 3, status: 4 }
    const read = (direction: string, status: string, answers?: TermAnswers) =>
      parseStatementRow(['8N7A6D5E', '20.00', PAYER_NUMBER, direction, status], all, {
        separators: new Set(),
        answers,
      })
    for (const status of ['Retourniert', 'Completed with objection', 'Not completed', '7', '']) {
      assert.deepEqual(read('CR', status), { unknown: { column: 'status', term: status } })
    }
    assert.deepEqual(read('Abgang', 'OK'), { unknown: { column: 'direction', term: 'Abgang' } })
    assert.deepEqual(read('Abgang', 'Failed'), {
      passed: 'failed',
      failed: { trxId: '8N7A6D5E', outcome: 'failed', status: 'Failed' },
    })
    const answers = termAnswers([
      { column: 'status', term: 'Retourniert', counts: false },
      { column: 'status', term: '7', counts: true },
      { column: 'direction', term: 'Abgang', counts: false },
    ])
    assert.containSubset(read('CR', 'RETOURNIERT', answers), { failed: { outcome: 'failed' } })
    assert.property(read('CR', '7', answers), 'line')
    assert.deepEqual(read('Abgang', '7', answers), { passed: 'outgoing' })
    assert.match(JSON.stringify(read('CR', 'x'.repeat(101))), /too long for a status/)
  })

  test('is compared with the part of the payer’s number that the operator shows', ({ assert }) => {
    const likes: [string, string | null][] = [
      ['01711000000', '01711000000'],
      ['8801711000000', '01711000000'],
      ['+880 1711-000000', '01711000000'],
      ['017****0000', '017%0000'],
      ['xxxxxxxx000', '%000'],
      ['000', '%000'],
      ['•••••••89', null],
      ['', null],
      ['Agent', null],
    ]
    for (const [account, like] of likes) assert.equal(maskedAccountPattern(account), like, account)
  })
})

test.group('A stored statement', (group) => {
  group.setup(() => setMerchantAccount())

  test('shows each difference, and only transfers that agree completely are exact', async ({
    assert,
  }) => {
    const exact = await claimed()
    const more = await claimed()
    const stranger = await claimed()
    const noAccount = await claimed()
    const masked = await claimed()
    const paid = await claimed()
    const rejected = await claimed()
    const [whole, half] = [await claimed(['500', '600']), await claimed(['500', '600'])]
    const short = await claimed(['500', '600'])
    await approveBillPayment(paid.bill, by)
    await rejectBillPayment(rejected.bill, null, by)
    const twice = await claimed()
    await rejectBillPayment(twice.bill, null, by)
    const second = await makeBill(await makeCustomer())
    const [{ trxId }] = twice.told
    await reportBillPayment(
      second,
      { accountNumber: PAYER_NUMBER, reference: null, parts: [{ trxId, taka: null }] },
      by
    )
    const [again] = await db.from('bill_payments').where('bill_id', second.id)
    const lost = freshTrx()
    const id = await makeStatement([
      ...exact.told,
      { ...more.told[0], amount: '1.00' },
      { ...stranger.told[0], account: '01911999999' },
      { ...noAccount.told[0], account: '' },
      { ...masked.told[0], account: '017****0000' },
      ...paid.told,
      ...rejected.told,
      ...whole.told,
      half.told[0],
      { ...half.told[1], amount: '599' },
      short.told[0],
      { trxId, amount: again.taka, account: PAYER_NUMBER },
      { trxId: lost, amount: '77', account: PAYER_NUMBER },
    ])
    assert.deepEqual(await statesOf(id), {
      [exact.told[0].trxId]: 'exact',
      [more.told[0].trxId]: 'amount',
      [stranger.told[0].trxId]: 'account',
      [noAccount.told[0].trxId]: 'account',
      [masked.told[0].trxId]: 'exact',
      [paid.told[0].trxId]: 'approved',
      [rejected.told[0].trxId]: 'rejected',
      [whole.told[0].trxId]: 'exact',
      [whole.told[1].trxId]: 'exact',
      [half.told[0].trxId]: 'part',
      [half.told[1].trxId]: 'amount',
      [short.told[0].trxId]: 'part',
      [trxId]: 'twice',
      [lost]: 'unclaimed',
    })
    const ids = [exact, masked, whole].map(({ bill }) => bill.id)
    assert.deepEqual(await listExactlyMatchedBillIds(id), ids)
    const { facts, matches } = await loadStatementPage(id, asked({ status: 'unclaimed' }))
    assert.deepEqual(
      matches.map(({ trx_id: trx, claim }) => [trx, claim]),
      [[lost, null]]
    )
    assert.equal(facts.counts?.exact, 4)
    const missing = await listUnmatchedPayments()
    const waits = missing.rows.map(({ trx_id: trx }) => trx)
    assert.include(waits, short.told[1].trxId)
    assert.notInclude(waits, exact.told[0].trxId)
    const [on, off] = await loadTransferMatches([more.told[0].trxId, short.told[1].trxId])
    assert.containSubset(on.found, { statement_id: id, state: 'amount', amount: '1.00' })
    assert.isNull(off.found)
  })

  test('reports a repeated transaction ID with another date, and ignores the same date in another format', async ({
    assert,
  }) => {
    const operator = `Bank ${randomUUID()}`
    const [trxId, other] = [freshTrx(), freshTrx()]
    const store = async (...rows: string[]) => {
      const file = Buffer.from(['Reference,Amount,Date', ...rows].join('\n'))
      const id = await storeStatement({ operator, filename: 'day.csv', file }, by)
      const dated = { trx_id: 0, amount: 1, account: -1, at: 2, direction: -1, status: -1 }
      await saveColumnMapping(id, { columns: dated }, by)
      const { passed, unread } = await loadStatementPage(id, asked())
      return { passed, unread }
    }
    const first = `${trxId},20.00,01/11/2026`
    const file = await store(first, first, `${trxId},20.00,02/11/2026`)
    assert.containSubset(file.passed, { repeated: 1, wrong: 1 })
    assert.deepEqual(file.unread, [
      {
        row: 4,
        why: `${trxId} is also in this file with the date 01/11/2026. Check whether these are two transfers.`,
      },
    ])
    const later = await store(`${trxId},20.00,1/12/2026`, `${other},20.00,1/12/2026`)
    assert.containSubset(later.passed, { before: 0, wrong: 1 })
    assert.deepEqual(later.unread, [
      {
        row: 2,
        why: `${trxId} is already on a statement with the date 01/11/2026. Check whether these are two transfers.`,
      },
    ])
    const again = await store(`${trxId},20.00,2026-11-01`, `${other},20.00,1/12/2026`)
    assert.containSubset(again.passed, { before: 2, wrong: 0 })
  })

  test('is checked for its currency, even if an older release saved its format', async ({
    assert,
  }) => {
    const operator = `Bank ${randomUUID()}`
    const file = (currency: string) =>
      Buffer.from(`Trx Id,Amount,Currency\n${freshTrx()},20.00,${currency}\n`)
    const first = await storeStatement({ operator, filename: 'a.csv', file: file('BDT') }, by)
    await saveColumnMapping(first, { columns: { ...columns, account: -1 } }, by)
    const id = await storeStatement({ operator, filename: 'b.csv', file: file('CHF') }, by)
    const { unread } = await loadStatementPage(id, asked())
    assert.match(unread[0].why, /The transfer is in CHF/)
  })

  test('asks about unknown terms once for all statements of its format', async ({ assert }) => {
    const operator = `Bank ${randomUUID()}`
    const [first, other] = [await claimed(), await claimed()]
    const store = (term: string, { trxId, amount }: { trxId: string; amount: string }) => {
      const file = Buffer.from(`Trx Id,Amount,Status\n${trxId},${amount},${term}\n`)
      return storeStatement({ operator, filename: 'day.csv', file }, by)
    }
    const id = await store('Verbucht?', first.told[0])
    const mapping = { ...columns, account: -1, status: 2 }
    await saveColumnMapping(id, { columns: mapping }, by)
    const asks = await loadStatementPage(id, asked())
    assert.deepEqual(asks.unknownTerms, [
      { column: 'status', term: 'Verbucht?', count: 1, rows: [2] },
    ])
    assert.deepEqual([asks.passed.unknown, asks.matches, asks.exactBills], [1, [], 0])
    const terms = [{ column: 'status' as const, term: 'Verbucht?', counts: true }]
    await saveColumnMapping(id, { columns: mapping, terms }, by)
    const answered = await loadStatementPage(id, asked())
    assert.containSubset(answered, { unknownTerms: [], exactBills: 1, termAnswers: terms })
    const later = await store('verbucht?', other.told[0])
    assert.deepEqual(await listExactlyMatchedBillIds(later), [other.bill.id])
    const no = [{ ...terms[0], counts: false }]
    await saveColumnMapping(later, { columns: mapping, terms: no }, by)
    assert.deepEqual(await listExactlyMatchedBillIds(later), [])
    assert.equal((await loadTransferMatches([other.told[0].trxId]))[0].failed?.status, 'verbucht?')
  })

  test('approves all exact matches in one operation, and nothing else', async ({
    assert,
    cleanup,
  }) => {
    const [one, other, differs] = [await claimed(), await claimed(['500', '600']), await claimed()]
    const partnerBill = await makeExternalBill('1500.50')
    const trxId = freshTrx()
    const claim = { accountNumber: PAYER_NUMBER, reference: null, parts: [{ trxId, taka: null }] }
    await reportBillPayment(partnerBill, claim, by)
    const id = await makeStatement([
      ...one.told,
      ...other.told,
      { ...differs.told[0], amount: '3' },
      { trxId, amount: '1,500.50', account: PAYER_NUMBER },
    ])
    cleanup(await startWorker())
    const [started, ...refused] = await Promise.allSettled([
      startExactMatchApproval(id, by),
      startExactMatchApproval(id, by),
    ]).then((all) => all.sort((a) => (a.status === 'fulfilled' ? -1 : 1)))
    assert.equal(refused[0].status, 'rejected')
    const { result } = await over((started as PromiseFulfilledResult<Operation>).value.id)
    assert.equal(result?.approved, 3)
    assert.equal(await statusOf(one.bill), 'success')
    assert.equal(await statusOf(other.bill), 'pending')
    assert.equal(await statusOf(partnerBill), 'success')
    assert.equal(await statusOf(differs.bill), 'processing')
    assert.deepEqual(await listExactlyMatchedBillIds(id), [])
    const states = Object.values(await statesOf(id)).sort()
    assert.deepEqual(states, ['amount', 'approved', 'approved', 'approved', 'approved'])
    const log = await db
      .from('audit_entries')
      .where({ subject_type: 'bill', subject_id: String(one.bill.id), action: 'bill.approve' })
    assert.lengthOf(log, 1)
    // Deleting the statement does not revert the decisions.
    await deleteStatement(id, by)
    assert.equal(await statusOf(one.bill), 'success')
    assert.lengthOf(await db.from('statement_lines').where('statement_id', id), 0)
  })

  test('is compared again at the moment of approval', async ({ assert }) => {
    const { bill, told } = await claimed()
    const id = await makeStatement(told)
    assert.deepEqual(await listExactlyMatchedBillIds(id), [bill.id])
    // Replaces the payment by a new one, which is in no statement.
    await rejectBillPayment(bill, null, by)
    const parts = [{ trxId: freshTrx(), taka: null }]
    await reportBillPayment(bill, { accountNumber: PAYER_NUMBER, reference: null, parts }, by)
    await assert.rejects(
      () => approveBillPayment(bill, by, { assert: (trx) => assertExactMatch(bill.id, trx) }),
      'The payment no longer matches the statement, so it was not approved.'
    )
    assert.equal(await statusOf(bill), 'processing')
    assert.deepEqual(await listExactlyMatchedBillIds(id), [])
  })

  test('lists bills that somebody else decided during the approval', async ({ assert }) => {
    const [one, other] = [await claimed(), await claimed()]
    const statementId = await makeStatement([...one.told, ...other.told])
    const tell = async () => {
      if ((await statusOf(one.bill)) === 'processing') await rejectBillPayment(one.bill, null, by)
    }
    const { signal } = new AbortController()
    const [left, ...none] = await approveExactlyMatchedBills(
      { statementId, by },
      { reportProgress: tell, signal }
    )
    assert.lengthOf(none, 0)
    assert.equal(left.bill_id, one.bill.id)
    assert.isNotEmpty(left.reason)
    assert.equal(await statusOf(other.bill), 'success')
  })

  test('stores each transfer once, from repeated, overlapping or concurrent uploads', async ({
    assert,
  }) => {
    const lines = Array.from({ length: 50 }, () => ({
      trxId: freshTrx(),
      amount: String(randomInt(1, 1e6)),
    }))
    const operator = `Pay ${randomUUID()}`
    const all = await Promise.all([
      makeStatement(lines, operator),
      makeStatement(lines.toReversed(), operator),
      makeStatement(lines.slice(20), operator),
    ])
    const kept = await db.from('statement_lines').where({ operator })
    assert.lengthOf(kept, 50)
    const passed = await Promise.all(
      all.map(async (id) => (await loadStatementPage(id, asked())).passed)
    )
    assert.equal(
      passed.reduce((sum, { before }) => sum + before, 0),
      80
    )
    // A stored transaction ID with another amount may be another transfer, so staff must check it.
    const id = await makeStatement([{ ...lines[0], amount: '0.01' }], operator)
    const { passed: odd, unread } = await loadStatementPage(id, asked())
    assert.deepEqual([odd.before, odd.wrong], [0, 1])
    assert.match(unread[0].why, /with another|already/)
    // The same rule applies to two rows of one file.
    const trxId = freshTrx()
    const two = await makeStatement(
      [
        { trxId, amount: '5' },
        { trxId, amount: '6' },
      ],
      operator
    )
    assert.equal((await loadStatementPage(two, asked())).passed.wrong, 1)
  })

  test('of a known format is read immediately, and again after a column changes', async ({
    assert,
  }) => {
    const operator = `Pay ${randomUUID()}`
    const trxId = freshTrx()
    const file = Buffer.from(`Number,Fee,Paid\n${trxId},1,500\n`)
    const first = await storeStatement({ operator, filename: 'a.csv', file }, by)
    assert.isFalse((await loadStatementPage(first, asked())).statement.is_read)
    await saveColumnMapping(first, { columns: { ...columns, account: -1 } }, by)
    const amountIn = async (id: number) => {
      const { matches } = await loadStatementPage(id, asked())
      return matches.map(({ trx_id: trx, amount }) => [trx, Number(amount)])
    }
    assert.deepEqual(await amountIn(first), [[trxId, 1]])
    await saveColumnMapping(first, { columns: { ...columns, amount: 2, account: -1 } }, by)
    assert.deepEqual(await amountIn(first), [[trxId, 500]])
    const more = Buffer.from(`NUMBER ,fee,Paid\n${freshTrx()},1,70\n`)
    const second = await storeStatement({ operator, filename: 'b.csv', file: more }, by)
    assert.equal((await amountIn(second))[0][1], 70)
    for (const wrong of [
      { ...columns, account: 3 },
      { ...columns, amount: 0 },
    ]) {
      await assert.rejects(() => saveColumnMapping(first, { columns: wrong }, by))
    }
  })

  test('agrees with a model for random lines', async ({ assert }) => {
    const claims = [await claimed(), await claimed(['500', '600']), await claimed()]
    const known = claims.flatMap(({ told }, bill) => told.map((line) => ({ ...line, bill })))
    const anyLine = fc.record({
      which: fc.integer({ min: 0, max: known.length }),
      off: fc.constantFrom('0', '0.01', '-1'),
      account: fc.constantFrom(
        PAYER_NUMBER,
        `88${PAYER_NUMBER}`,
        '017****0000',
        '000',
        '01999999999',
        ''
      ),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(anyLine, { selector: ({ which }) => which, maxLength: 6 }),
        async (drawn) => {
          const lost = freshTrx()
          const lines = drawn.map(({ which, off, account }) => {
            const line = known.at(which) ?? { trxId: lost, amount: '9', bill: -1 }
            const amount = (Number(line.amount) + Number(off)).toFixed(2)
            return { ...line, amount, account, isRight: off === '0' }
          })
          const own = lines.map((line) => {
            if (line.bill === -1) return 'unclaimed'
            if (!line.isRight) return 'amount'
            return line.account && line.account !== '01999999999' ? 'exact' : 'account'
          })
          const wanted = lines.map(({ bill }, index) => {
            if (own[index] !== 'exact') return own[index]
            const all = known.filter((one) => one.bill === bill)
            const agreed = lines.filter((one, at) => one.bill === bill && own[at] === 'exact')
            return agreed.length === all.length ? 'exact' : 'part'
          })
          const id = await makeStatement(lines)
          const states = await statesOf(id)
          await deleteStatement(id, by)
          assert.deepEqual(
            lines.map(({ trxId }) => states[trxId]),
            wanted
          )
        }
      ),
      { numRuns: 30 }
    )
  })
})

test.group('Permissions for statements', () => {
  test('administrators upload, assign columns and approve; support can only read', async ({
    assert,
  }) => {
    const administrator = await signIn(await makeStaff('administrator'))
    const form = (text: string, operator = `Pay ${randomUUID()}`) => {
      const data = new FormData()
      data.append('operator', operator)
      data.append('file', new Blob([text]), 'day.csv')
      return data
    }
    const send = (data: FormData) => administrator.post('/admin/billing/statements/store', data)
    const { told } = await claimed()
    const [{ trxId, amount, account }] = told
    const sent = await send(form(`Trx Id,Amount,Sender\n${trxId},${amount},${account}`))
    assert.equal(sent.status, 201)
    const { id } = sent.json.data!.statement as { id: number }
    const page = await administrator.page(`/admin/billing/statements/${id}`)
    assert.containSubset(page.json.props, {
      statement: { is_read: false },
      columns: { trx_id: 0, amount: 1, account: 2 },
      sample: [[trxId, amount, account]],
    })
    const wrong = await administrator.post('/admin/billing/statements/columns', { id })
    assert.equal(wrong.status, 422)
    const read = await administrator.post('/admin/billing/statements/columns', {
      id,
      ...columns,
      terms: [{ column: 'status', term: '', counts: true }],
    })
    assert.equal(read.status, 200)
    const after = await administrator.page(`/admin/billing/statements/${id}`)
    assert.containSubset(after.json.props, {
      exactBills: 1,
      counts: { exact: 1 },
      termAnswers: [{ column: 'status', term: '', counts: true }],
    })
    for (const [refused, status] of [
      [form('PK\x03\x04'), 422],
      [form('a,b\n1,2', ''), 422],
      [form(`a,b\n${'x'.repeat(10 * 1024 * 1024)}`), 413],
    ] as const) {
      assert.equal((await send(refused)).status, status)
    }
  })
})
