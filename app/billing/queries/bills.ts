import type { AccountResourceRow } from '#accounts/public'
import type { BillFamily } from '#billing/bill_families'
import Bill from '#billing/models/bill'
import { amountInTaka, amountDueInTaka } from '#billing/payable_amounts'
import { billStatuses } from '#billing/statuses'
import { accountIdOf, type Actor } from '#core/contracts/actor'
import type { DashboardSectionRow } from '#core/contracts/menu_and_dashboard'
import { anyOf, startsWith, containsOrStartsWith, type ListDefinition } from '#core/list_page'
import { formatTaka } from '#core/money'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import { loadDollarRate } from '#core/settings/dollar_rate'
import db from '@adonisjs/lucid/services/db'
import Big from 'big.js'

export function billsVisibleTo(actor: Actor, family: BillFamily = 'console') {
  const bills = Bill.query().where('bills.family', family)
  return actor.audience === 'staff' ? bills : bills.where('bills.account_id', accountIdOf(actor))
}

/** @throws 404 if the bill does not exist, is of another family, or belongs to another account */
export async function getBill(actor: Actor, id: unknown, family?: BillFamily): Promise<Bill> {
  const key = parseRecordId(id)
  const bill = key ? await billsVisibleTo(actor, family).where('bills.id', key).first() : null
  if (!bill) throw notFound('bill')
  return bill
}

export async function listOpenBillResourceRows(accountId: number): Promise<AccountResourceRow[]> {
  const rows = await Bill.query()
    .where({ accountId, family: 'console' })
    .whereIn('status', ['pending', 'processing', 'rejected'])
    .orderBy('id', 'desc')
  const rate = await loadDollarRate()
  return rows.map((bill) => ({
    id: bill.id,
    name: billTitle(bill, rate),
    status: bill.status,
    href: `/admin/billing/details/${bill.id}`,
  }))
}

export async function listBillsToPayForDashboard(
  accountId: number,
  limit: number
): Promise<DashboardSectionRow[]> {
  const rows = await Bill.query()
    .where({ accountId, family: 'console' })
    .whereIn('status', ['pending', 'rejected'])
    .orderByRaw('due_date nulls last, id')
    .limit(limit)
  const rate = await loadDollarRate()
  return rows.map((bill) => ({
    name: String(bill.number ?? bill.id),
    href: `/billing/${bill.id}`,
    status: bill.status,
    note: [
      formatTaka(amountDueInTaka(bill, rate)),
      ...(bill.dueDate ? [`due ${bill.dueDate.toFormat('LLL d')}`] : []),
    ].join(', '),
  }))
}

/** Returns a title such as `B-2026-000001, €20.00` or `…, €12.00 left of €20.00`. */
export function billTitle(bill: Bill, today: string): string {
  const isPart = new Big(bill.due).gt(0) && new Big(bill.due).lt(bill.amount)
  const left = isPart ? `${formatTaka(amountDueInTaka(bill, today))} left of ` : ''
  return `${bill.number ?? bill.id}, ${left}${formatTaka(amountInTaka(bill, today))}`
}

export const billListDefinition: ListDefinition = {
  statuses: billStatuses,
  sorts: { id: 'id', amount: 'amount', status: 'status', date: 'billing_date' },
  search: startsWith('number', 'trx_id'),
}

const matchesId = (text: string) => {
  const id = parseRecordId(text)
  return id ? { sql: 'account_id = ? or id = ?', bindings: [id, id] } : null
}

export const adminBillListDefinition: ListDefinition = {
  ...billListDefinition,
  search: anyOf(
    startsWith('number', 'account_number'),
    containsOrStartsWith('trx_id', 'reference'),
    matchesId
  ),
  precounted: { list: 'bills', scope: 'console' },
  indexOrdered: ['amount', 'status', 'date'],
}

export async function findNextBillIdToReview({ id, family }: Bill): Promise<number | null> {
  const waiting = () =>
    Bill.query().where({ family, status: 'processing' }).whereNot({ id }).orderBy('id')
  const next = (await waiting().where('id', '>', id).first()) ?? (await waiting().first())
  return next?.id ?? null
}

export function buildBillsToReviewCountQuery(family: BillFamily) {
  return db
    .from('list_numbers')
    .where({ list: 'bills', scope: family, level: 15, status: 'processing' })
    .select(db.raw('coalesce(sum(n), 0) as total'))
}
