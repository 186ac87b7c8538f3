import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import { reportBillPayment } from '#billing/actions/report_bill_payment'
import { importExternalBill } from '#billing/actions/external_bills'
import Bill from '#billing/models/bill'
import { loadAccountCreditBalance } from '#billing/queries/account_credit_balance'
import { loadBillMailStates } from '#billing/queries/bill_details'
import { findBillByName } from '#billing/queries/find_bill_by_name'
import { loadTransferMatches } from '#billing/queries/statements'
import { deleteStatement } from '#billing/statements/approve_matches_or_delete_statement'
import { matchStatementLine } from '#billing/statements/match_line'
import { isOneEditApart } from '#billing/statements/one_edit_apart'
import { freshTrx, makeBill, makeStatement, setMerchantAccount } from '#billing/tests/fixtures'
import { makeCustomer, signIn } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'

const by = { actor: null }

const fulfilled = (results: PromiseSettledResult<unknown>[]) =>
  results.filter(({ status }) => status === 'fulfilled').length

async function claim(bill: Bill) {
  const parts = [{ trxId: freshTrx(), taka: null }]
  await reportBillPayment(bill, { accountNumber: '01711000000', reference: null, parts }, by)
  const payments: { trx_id: string; taka: string }[] = await db
    .from('bill_payments')
    .where({ bill_id: bill.id, status: 'claimed' })
  return payments.map(({ trx_id: trxId, taka }) => ({ trxId, taka }))
}

test.group('A statement line that no customer reported', (group) => {
  group.setup(() => setMerchantAccount())
  const lineOf = async (trxId: string) =>
    (await db.from('statement_lines').where('trx_id', trxId).firstOrFail()).id as number

  test('is matched with a bill by staff, once', async ({ assert }) => {
    const [bill, other] = [
      await makeBill(await makeCustomer()),
      await makeBill(await makeCustomer()),
    ]
    const trxId = freshTrx()
    await makeStatement([{ trxId, amount: '50000', account: '017****0000' }])
    const line = await lineOf(trxId)
    await assert.rejects(() => matchStatementLine(line, 'B-1999-1', by))
    const tried = await Promise.allSettled([
      matchStatementLine(line, bill.number!, by),
      matchStatementLine(line, other.number!, by),
    ])
    assert.equal(fulfilled(tried), 1)
    const matched = await Bill.query().where({ trxId }).firstOrFail()
    assert.equal(matched.status, 'processing')
    await assert.rejects(() => approveBillPayment(matched, by), /statement shows/)
    await approveBillPayment(matched, by, { approvedTaka: '50000' })
    assert.isAbove(Number(await loadAccountCreditBalance(matched.accountId!)), 0)
    await assert.rejects(() => matchStatementLine(line, other.number!, by), /already belongs/)
  })

  test('is suggested for a report whose transaction ID has one mistake, and a match corrects that ID', async ({
    assert,
  }) => {
    const bill = await makeBill(await makeCustomer())
    const [{ trxId, taka }] = await claim(bill)
    const right = `${trxId.slice(0, 4)}Z${trxId.slice(5)}`
    const statement = await makeStatement([{ trxId: right, amount: taka, account: '017****0000' }])
    const [match] = await loadTransferMatches([trxId])
    assert.deepEqual(match.similar, { statement_id: statement, trx_id: right })
    await matchStatementLine(await lineOf(right), bill.number!, by)
    const [found] = await loadTransferMatches([right])
    assert.containSubset(found, { found: { state: 'exact' }, similar: null })
    const [payment] = await db.from('bill_payments').where('bill_id', bill.id)
    assert.equal(payment.reported_trx_id, trxId)
    await approveBillPayment(bill, by)
    assert.equal((await bill.refresh()).status, 'success')
  })

  test('is rejected without an email, because the customer reported nothing', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    const trxId = freshTrx()
    await makeStatement([{ trxId, amount: '1246.44', account: '017****0000' }])
    await matchStatementLine(await lineOf(trxId), bill.number!, by)
    const states = async () => {
      const rows = await loadBillMailStates(await bill.refresh())
      return rows.filter(({ reason }) => reason === null).map(({ mail_type: type }) => type)
    }
    assert.deepEqual(await states(), ['created'])
    await rejectBillPayment(bill, 'Another customer', by)
    assert.isEmpty(
      await db.from('bill_mails').where('bill_id', bill.id).whereNot('step', 'created')
    )
    assert.containSubset((await bill.refresh()).$attributes, {
      status: 'pending',
      trxId: null,
      note: null,
    })
    assert.deepEqual(await states(), ['created', 'reminder'])
    const page = await (await signIn(customer)).page(`/billing/${bill.id}`)
    assert.notInclude(JSON.stringify(page.json.props), trxId)
    await matchStatementLine(await lineOf(trxId), bill.number!, by)
  })

  test('restores the reported ID when its match is rejected', async ({ assert }) => {
    const customer = await makeCustomer()
    const bill = await makeBill(customer)
    const [{ trxId, taka }] = await claim(bill)
    const others = [
      `${trxId.slice(0, 4)}Z${trxId.slice(5)}`,
      `${trxId.slice(0, 5)}Z${trxId.slice(6)}`,
    ]
    for (const other of others) {
      const id = await makeStatement([{ trxId: other, amount: taka, account: '017****0000' }])
      await matchStatementLine(await lineOf(other), bill.number!, by)
      await deleteStatement(id, by)
    }
    await rejectBillPayment(bill, null, by)
    assert.equal((await bill.refresh()).trxId, trxId)
    const [payment] = await db.from('bill_payments').where('bill_id', bill.id)
    assert.deepEqual([payment.trx_id, payment.reported_trx_id], [trxId, null])
    const mail = await db.from('outbox_mails').where('to', customer.email).orderBy('id', 'desc')
    assert.include(mail[0].text, trxId)
  })

  test('is matched by bill number and issuer if two bills have the same number', async ({
    assert,
  }) => {
    const own = await makeBill(await makeCustomer())
    const externalId = own.number!
    const partner = await importExternalBill(
      'autocourier',
      { externalId, externalUser: 'u-1', amount: '1500.50' },
      by
    )
    const trxId = freshTrx()
    await makeStatement([{ trxId, amount: '1500.50', account: '017****0000' }])
    const rejected = await matchStatementLine(await lineOf(trxId), externalId, by).catch(
      (reason: { errors?: object }) => reason
    )
    assert.deepEqual((rejected as { errors?: object }).errors, {
      bill: [`Several bills have this number. Enter Berth ${externalId} or ${partner.label}.`],
    })
    assert.equal((await findBillByName(`Berth ${externalId}`)).id, own.id)
    const matched = await matchStatementLine(await lineOf(trxId), partner.label, by)
    assert.equal(matched.id, partner.id)
  })

  test('is similar only to transaction IDs that differ by one typing mistake', ({ assert }) => {
    const pairs: [string, string, boolean][] = [
      ['8N7A2B3C4D', '8N7A2B3C4O', true],
      ['8N7A2B3C4D', '8N7A2B34D', true],
      ['8N7A2B3C4D', '8N7A2B3C4D1', true],
      ['8N7A2B3C4D', '8N7AB23C4D', true],
      ['8N7A2B3C4D', '8N7A2B3C4D', false],
      ['8N7A2B3C4D', '9N7A2B3C4E', false],
      ['8N7A2B3C4D', '8N7A2B3C', false],
    ]
    for (const [one, other, isSimilar] of pairs) {
      assert.equal(isOneEditApart(one, other), isSimilar, `${one} ${other}`)
      assert.equal(isOneEditApart(other, one), isSimilar, `${other} ${one}`)
    }
  })
})
