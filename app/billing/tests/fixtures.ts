import { makeBills } from '#billing/charging/make_bills'
import { importExternalBill } from '#billing/actions/external_bills'
import { storeStatement } from '#billing/statements/store_statement'
import { saveColumnMapping } from '#billing/statements/column_mapping'
import Bill from '#billing/models/bill'
import type Person from '#identity/models/person'
import { saveBillingSettings } from '#billing/settings'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

export const freshTrx = () => randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase()

export interface ChargeInput {
  type?: string
  name?: string
  billType?: string
  period?: string
  cost: string
}

export async function charge(accountId: number, lines: ChargeInput[]): Promise<void> {
  await db.table('bill_charges').multiInsert(
    lines.map(({ type = 'server_instance', name = 'web', cost, ...more }) => ({
      account_id: accountId,
      source: `test:${randomUUID()}`,
      type,
      name,
      cost,
      bill_type: more.billType ?? 'Bronze',
      billing_period: more.period ?? 'month',
      quantity: 1,
      unit_price: cost,
    }))
  )
}

export async function makeBill(
  { id }: Pick<Person, 'id'>,
  lines: ChargeInput[] = [{ cost: '10' }],
  now: DateTime = DateTime.utc()
): Promise<Bill> {
  await charge(id, lines)
  await makeBills(now)
  return Bill.query().where('accountId', id).orderBy('id', 'desc').firstOrFail()
}

/** Imports a partner's bill in taka. The database allows only the partner `autocourier`. */
export function makeExternalBill(amount = '1500.50', externalUser = 'partner-user'): Promise<Bill> {
  const bill = { externalId: randomUUID(), externalUser, amount }
  return importExternalBill('autocourier', bill, { actor: null })
}

export const claim = (more: object = {}) => ({
  account_number: '01711000000',
  reference: 'web',
  trx_id: freshTrx(),
  ...more,
})

export async function setMerchantAccount(merchantAccount = '01800000000'): Promise<void> {
  const seller = { name: 'Berth', address: 'Dhaka', bin: '0012345678901' }
  await db.transaction((trx) => saveBillingSettings({ merchantAccount, seller }, trx))
}

export interface StatementLineInput {
  trxId: string
  amount: string
  account?: string
}

export async function makeStatement(lines: StatementLineInput[], operator = `Pay ${randomUUID()}`) {
  const rows = lines.map(({ trxId, amount, account = '' }) => `${trxId},"${amount}",${account}`)
  const file = Buffer.from(['Trx Id,Amount,Sender', ...rows].join('\n'))
  const id = await storeStatement({ operator, filename: 'day.csv', file }, { actor: null })
  const columns = { trx_id: 0, amount: 1, account: 2, at: -1, direction: -1, status: -1 }
  await saveColumnMapping(id, { columns }, { actor: null })
  return id
}

/** Opens database connections in advance. Calls that first had to connect would not overlap. */
export async function openConnections(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => db.rawQuery('select pg_sleep(0.05)')))
}
