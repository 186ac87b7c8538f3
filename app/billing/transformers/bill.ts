import type Bill from '#billing/models/bill'
import type BillCharge from '#billing/models/bill_charge'
import type BillPayment from '#billing/models/bill_payment'
import { billDollarRate, amountDueInTaka, amountInTaka } from '#billing/payable_amounts'
import type {
  AdminBillRow,
  BillRow,
  PaymentTransferRow,
  BillChargeRow,
} from '#billing/transformers/page_props'
import type { CustomerSummary } from '#core/contracts/customer_summary'
import { sumAmounts, dollarsToTaka } from '#core/money'
import Big from 'big.js'

const plainDecimal = (amount: string) => new Big(amount).toFixed()

/** @param today today's dollar rate */
export function billRow(bill: Bill, today: string): BillRow {
  const { id, number, accountNumber, trxId, reference, status, note, billingDate, dueDate } = bill
  return {
    id,
    number,
    reference,
    note,
    user_id: bill.accountId!,
    account_number: accountNumber,
    trx_id: trxId,
    payment_status: status,
    amount: plainDecimal(bill.amount),
    amount_taka: amountInTaka(bill, today),
    due_taka: amountDueInTaka(bill, today),
    billing_date: billingDate.toISODate()!,
    due_date: dueDate?.toISODate() ?? null,
  }
}

export function adminBillRow(bill: Bill, today: string, customer?: CustomerSummary): AdminBillRow {
  return { ...billRow(bill, today), customer: customer ?? null }
}

export function billDetails(
  bill: Bill,
  charges: BillCharge[],
  payments: BillPayment[],
  today: string
) {
  const { due, amount, dollarRate } = bill
  const rate = billDollarRate(bill, today)
  const costOf = (lines: BillCharge[]) =>
    dollarsToTaka(sumAmounts(lines.map(({ cost }) => cost)), rate)
  const servers = charges.filter(({ type }) => type === 'server_instance')
  const others = charges.filter(({ type }) => type !== 'server_instance')
  return {
    services: charges.map((line): BillChargeRow => ({
      id: line.id,
      type: line.type,
      name: line.name,
      bill_type: line.billType,
      billing_period: line.billingPeriod,
      cost: plainDecimal(line.cost),
      cost_taka: dollarsToTaka(line.cost, rate),
    })),
    totals: { servers: costOf(servers), vaults: costOf(others), all: dollarsToTaka(amount, rate) },
    parts: payments.map((part): PaymentTransferRow => ({
      id: part.id,
      trx_id: part.trxId,
      account_number: part.accountNumber,
      taka: part.taka,
      status: part.status,
      at: part.claimedAt.toISO()!,
    })),
    due,
    due_taka: dollarsToTaka(due, rate),
    rate: plainDecimal(rate),
    rate_frozen: dollarRate !== null,
    rate_day: bill.rateDay?.toISODate() ?? null,
  }
}
