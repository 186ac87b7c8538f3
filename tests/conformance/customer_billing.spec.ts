/// <reference lib="dom" />
import {
  approveBillPayment,
  rejectBillPayment,
} from '#billing/actions/approve_or_reject_bill_payment'
import type Bill from '#billing/models/bill'
import { freshTrx, makeBill, setMerchantAccount } from '#billing/tests/fixtures'
import { chargeUsage } from '#billing/charging/create_charges'
import { creditBill } from '#billing/actions/credit_or_write_off_bill'
import { makeBills } from '#billing/charging/make_bills'
import type { MeterKey } from '#core/modules'
import { loadDollarRate } from '#core/settings/dollar_rate'
import { formatDate } from '#packages/ui/date_text'
import { visit } from '#tests/support/browser'
import { makeCustomer, signIn } from '#tests/support/people'
import { recordUsage } from '#catalog/public'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'
import Big from 'big.js'
import assert from 'node:assert/strict'
import { PAYER_NUMBER, badgeColour, claimed } from './bills.js'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

const by = { actor: null }

test.group('Bills of a customer', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  let bills: Record<'pending' | 'processing' | 'success' | 'rejected' | 'deleted', Bill>
  group.setup(async () => {
    await setMerchantAccount('01800000000')
    const make = () => makeBill(stage.person, [{ cost: '12.3456' }])
    const [pending, processing] = [await make(), await claimed(await make())]
    const [success, rejected] = [await claimed(await make()), await claimed(await make())]
    await approveBillPayment(success, by)
    await rejectBillPayment(rejected, 'No such transfer.', by)
    const withdrawn = await make()
    const reduction = { amount: withdrawn.due, note: 'Withdrawn' }
    const deleted = await creditBill(withdrawn, reduction, by)
    bills = { pending, processing, success, rejected, deleted }
  })

  proves('C4.15', async () => {
    const { page } = stage
    assert.equal(bills.deleted.status, 'deleted')
    await visit(page, '/billing')
    const isStruck = (bill: Bill) =>
      page
        .getByRole('row')
        .filter({ hasText: bill.number! })
        .getByText(bill.number!)
        .first()
        .evaluate((element) => {
          for (let one: Element | null = element; one; one = one.parentElement) {
            if (getComputedStyle(one).textDecorationLine.includes('line-through')) return true
          }
          return false
        })
    assert.deepEqual([await isStruck(bills.deleted), await isStruck(bills.pending)], [true, false])
  })

  proves(['C2.78', 'C2.80', 'C3.23', 'C3.24', 'C4.14', 'C4.17', 'C9.19'], async () => {
    const { page, person } = stage
    await visit(page, '/billing')
    const rate = await loadDollarRate()
    const row = page.getByRole('row').filter({ hasText: bills.pending.number! })
    const words = (await row.innerText()).replace(/[\s,]/g, '')
    const amount = `৳${new Big('12.3456').times(rate).toFixed(2, Big.roundHalfUp)}`
    for (const part of [
      amount,
      'Pending',
      formatDate(bills.pending.billingDate!.toISODate()!, 'date', 'Asia/Dhaka'),
    ]) {
      assert.ok(words.includes(part.replace(/[\s,]/g, '')), `${words} has no ${part}`)
    }
    const colours = {
      pending: 'yellow',
      rejected: 'yellow',
      processing: 'green',
      success: 'green',
    } as const
    for (const status of ['pending', 'rejected', 'processing', 'success'] as const) {
      await visit(page, `/billing/${bills[status].id}`)
      const badge = page.locator(`[data-status=${status}]`).first()
      assert.equal(await badgeColour(badge), colours[status])
      const pay = await page.getByRole('button', { name: 'Pay Now' }).count()
      assert.equal(pay, status === 'pending' || status === 'rejected' ? 1 : 0, status)
    }
    await visit(page, `/billing/${bills.pending.id}`)
    const facts = (await page.getByRole('main').locator('dl').first().innerText()).toLowerCase()
    for (const part of ['account id', String(person.id), 'billing date', 'estimated grand total']) {
      assert.ok(facts.includes(part), part)
    }
    const { json } = await (await signIn(person)).page(`/billing/${bills.processing.id}`)
    const bill = json.props!.bill as Record<string, unknown>
    assert.deepEqual(
      [bill.id, Number(bill.amount), bill.payment_status, bill.account_number, bill.trx_id],
      [bills.processing.id, 12.3456, 'processing', PAYER_NUMBER, bills.processing.trxId]
    )
    assert.deepEqual([bill.reference, bill.note], ['harbour', null])
    assert.equal(bill.billing_date, bills.processing.billingDate!.toISODate())
    const [service] = json.props!.services as Record<string, unknown>[]
    assert.deepEqual(
      [service.name, service.type, service.bill_type, service.billing_period, Number(service.cost)],
      ['web', 'server_instance', 'Bronze', 'month', 12.3456]
    )
  })

  proves(['C5.7', 'C7.53', 'C9.1', 'C9.2'], async () => {
    const { page, person } = stage
    const { pending } = bills
    await visit(page, `/billing/${pending.id}`)
    await page.getByRole('button', { name: 'Pay Now' }).click()
    const form = page.getByRole('dialog', { name: `Pay bill ${pending.number}` })
    const rate = await loadDollarRate()
    const total = new Big('12.3456').times(rate).times('1.0175').toFixed(2, Big.roundHalfUp)
    assert.ok((await form.innerText()).replace(/[\s,]/g, '').includes(`৳${total}`))
    await form
      .getByText(/Send Money/)
      .first()
      .waitFor()
    await form.getByText('01800000000', { exact: true }).first().waitFor()
    const visitor = await signIn(person)
    const call = { id: pending.id, account_number: '', reference: 'web', trx_id: freshTrx() }
    const refused = await visitor.post('/billing/pay', call)
    assert.ok(refused.status === 422 && refused.json.errors!.account_number)
    const paid = await visitor.post('/billing/pay', { ...call, account_number: PAYER_NUMBER })
    assert.deepEqual([paid.status, paid.json.success], [200, true])
    await pending.refresh()
    assert.deepEqual([pending.status, pending.trxId], ['processing', call.trx_id])
  })

  proves(['C9.3', 'C9.4', 'C9.5'], async () => {
    const customer = await makeCustomer()
    const thing = `vault:${customer.id}`
    await recordUsage(
      Object.entries({
        'vault.requests': '1500',
        'mail.accepted': '1000',
        'vault.bytes_out': '12000000000',
        // Usage of a vault with 6 GB for the whole month.
        'vault.byte_hours': String(6e9 * 24 * 30),
      }).map(([meter, quantity]) => ({
        accountId: customer.id,
        meter: meter as MeterKey,
        quantity,
        thing,
        source: `${thing}:${meter}`,
        at: DateTime.fromISO('2026-04-02', { zone: 'utc' }),
      }))
    )
    await chargeUsage('2026-04')
    await makeBills(DateTime.utc())
    const visitor = await signIn(customer)
    const { json } = await visitor.page('/billing')
    const [bill] = json.props!.bills as { id: number }[]
    const details = await visitor.page(`/billing/${bill.id}`)
    const services = details.json.props!.services as Record<string, string>[]
    // Storage costs money only above the included 5 GB, and bandwidth only above the included 10 GB.
    assert.deepEqual(Object.fromEntries(services.map((one) => [one.bill_type, Number(one.cost)])), {
      Requests: 0.15,
      Mails: 0.4,
      Bandwidth: 0.36,
      Storage: 0.15,
    })
  })
})
