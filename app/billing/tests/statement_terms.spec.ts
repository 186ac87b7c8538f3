import { reportBillPayment } from '#billing/actions/report_bill_payment'
import Bill from '#billing/models/bill'
import {
  listUnmatchedPayments,
  loadStatementPage,
  loadTransferMatches,
  statementMatchListDefinition,
} from '#billing/queries/statements'
import { startExactMatchApproval } from '#billing/statements/approve_matches_or_delete_statement'
import { saveColumnMapping } from '#billing/statements/column_mapping'
import { storeStatement } from '#billing/statements/store_statement'
import { freshTrx, makeBill, setMerchantAccount } from '#billing/tests/fixtures'
import { parseListRequest } from '#core/list_page'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { randomUUID } from 'node:crypto'

const by = { actor: null }
const columns = { trx_id: 0, amount: 1, account: -1, at: -1, direction: -1, status: 3 }

const answer = <Counts>(term: string, counts: Counts) => ({
  column: 'status' as const,
  term,
  counts,
})

const load = (id: number) =>
  loadStatementPage(
    id,
    parseListRequest({ request: { qs: () => ({}) } } as never, statementMatchListDefinition)
  )

const termsOf = async (id: number) => (await load(id)).unknownTerms.map(({ term }) => term)

const formatOf = (operator: string) =>
  db.from('statement_formats').where({ operator }).firstOrFail()

async function claimed() {
  const bill = await makeBill(await makeCustomer())
  const parts = [{ trxId: freshTrx(), taka: null }]
  await reportBillPayment(bill, { accountNumber: '01711000000', reference: null, parts }, by)
  const { trx_id: trxId, taka } = await db.from('bill_payments').where('bill_id', bill.id).first()
  return { bill, trxId, taka } as { bill: Bill; trxId: string; taka: string }
}

/**
 * Stores a statement with one row for each status. `trxId` is the transaction ID of the first row,
 * `taka` the amount of every row.
 */
function store(statuses: string[], operator: string, { trxId = freshTrx(), taka = '20.00' } = {}) {
  const rows = statuses.map((status, index) =>
    [index ? freshTrx() : trxId, taka, '7.00', status].join(',')
  )
  const file = Buffer.from(['Trx Id,Amount,Net,Status', ...rows].join('\n'))
  return storeStatement({ operator, filename: 'day.csv', file }, by)
}

test.group('Meanings of status words in statements, chosen by staff', (group) => {
  group.setup(() => setMerchantAccount())
  let operator = ''
  group.each.setup(() => {
    operator = `Bank ${randomUUID()}`
  })

  test('do not change the columns of the format or of a statement', async ({ assert }) => {
    const old = await store(['Umgebucht'], operator)
    await saveColumnMapping(old, { columns }, by)
    const newer = await store(['Success'], operator)
    const net = Object.assign({}, columns, { amount: 2 })
    await saveColumnMapping(newer, { columns: net }, by)
    await saveColumnMapping(old, { terms: [answer('Umgebucht', true)] }, by)
    const { matches, columns: own } = await load(old)
    assert.deepEqual([own.amount, Number(matches[0].amount)], [1, 20])
    const format = await formatOf(operator)
    assert.equal(format.columns.amount, 2)
    assert.deepEqual(format.terms, [answer('Umgebucht', true)])
    const unread = await store(['Success'], `${operator} 2`)
    await assert.rejects(
      () => saveColumnMapping(unread, { terms: [answer('Umgebucht', true)] }, by),
      'Choose the columns of this statement first.'
    )
  })

  test('can be withdrawn one by one, without sending columns', async ({ assert }) => {
    const id = await store(['Umgebucht', 'Verrechnet'], operator)
    const terms = [answer('Umgebucht', true), answer('Verrechnet', true)]
    await saveColumnMapping(id, { columns, terms }, by)
    assert.deepEqual(await termsOf(id), [])
    const administrator = await signIn(await makeStaff('administrator'))
    const send = (body: object) => administrator.post('/admin/billing/statements/columns', body)
    const withdrawn = await send({ id, terms: [answer('umgebucht', null)] })
    assert.equal(withdrawn.status, 200, withdrawn.text)
    assert.deepEqual(await termsOf(id), ['Umgebucht'])
    const page = await load(id)
    assert.lengthOf(page.matches, 1)
    assert.deepEqual(page.termAnswers, [answer('Verrechnet', true)])
    assert.equal((await send({ id, terms: [answer('Umgebucht', 'maybe')] })).status, 422)
    assert.equal((await send({ id })).status, 422)
  })

  test('apply to all stored statements of the format, with their own columns', async ({
    assert,
  }) => {
    const { bill, trxId, taka } = await claimed()
    const older = await store(['Umgebucht'], operator, { trxId, taka })
    await saveColumnMapping(older, { columns, terms: [answer('Umgebucht', true)] }, by)
    const newer = await store(['Umgebucht'], operator)
    assert.equal((await load(older)).exactBills, 1)
    await saveColumnMapping(newer, { terms: [answer('Umgebucht', false)] }, by)
    assert.equal((await load(older)).exactBills, 0)
    const net = Object.assign({}, columns, { amount: 2 })
    await saveColumnMapping(newer, { columns: net }, by)
    await saveColumnMapping(newer, { terms: [answer('Umgebucht', true)] }, by)
    const page = await load(older)
    assert.deepEqual([page.columns.amount, page.exactBills], [1, 1])
    await startExactMatchApproval(older, by)
    await assert.rejects(
      () => saveColumnMapping(newer, { terms: [answer('Umgebucht', null)] }, by),
      /already being approved/
    )
    assert.equal((await Bill.findOrFail(bill.id)).status, 'processing')
  })

  test('are rejected while exact matches are being approved', async ({ assert }) => {
    const id = await store(['Umgebucht'], operator)
    await saveColumnMapping(id, { columns }, by)
    await startExactMatchApproval(id, by)
    await assert.rejects(
      () => saveColumnMapping(id, { terms: [answer('Umgebucht', true)] }, by),
      /already being approved/
    )
  })

  test('an empty status is shown as “(empty)”', async ({ assert }) => {
    const { trxId, taka } = await claimed()
    const id = await store([''], operator, { trxId, taka })
    await saveColumnMapping(id, { columns, terms: [answer('', false)] }, by)
    const [match] = await loadTransferMatches([trxId])
    assert.equal(match.failed?.status, '(empty)')
    const { rows } = await listUnmatchedPayments()
    assert.equal(rows.find((row) => row.trx_id === trxId)?.failed ?? '(empty)', '(empty)')
  })

  test('are requested again if an earlier release read rows with an unknown word as received payments', async ({
    assert,
  }) => {
    const { bill, trxId, taka } = await claimed()
    const id = await store(['Umgebucht'], operator, { trxId, taka })
    await saveColumnMapping(id, { columns, terms: [answer('Umgebucht', true)] }, by)
    // Restores the state in which an earlier release left the statement.
    const forgetTerms = () =>
      db.rawQuery(`update statements set passed_over = passed_over - 'unknown' where id = ?`, [id])
    await forgetTerms()
    await db.from('statement_formats').where({ operator }).update({ terms: '[]' })
    assert.equal((await load(id)).exactBills, 1)
    await assert.rejects(
      () => startExactMatchApproval(id, by),
      /Choose on the statement page what they mean/
    )
    const asks = await load(id)
    assert.deepEqual([asks.exactBills, asks.operationId], [0, null])
    assert.deepEqual(await termsOf(id), ['Umgebucht'])
    assert.equal((await Bill.findOrFail(bill.id)).status, 'processing')
    await saveColumnMapping(id, { terms: [answer('Umgebucht', true)] }, by)
    await forgetTerms()
    await startExactMatchApproval(id, by)
    const again = await load(id)
    assert.equal(again.exactBills, 1)
    assert.isNotNull(again.operationId)
  })
})
