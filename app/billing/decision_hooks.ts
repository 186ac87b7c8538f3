import type Bill from '#billing/models/bill'
import type BillPayment from '#billing/models/bill_payment'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface BillDecision {
  bill: Bill
  decision: 'approved' | 'rejected'
  payments: BillPayment[]
}

type Hook = (decided: BillDecision, trx: TransactionClientContract) => Promise<void>

const hooks: Hook[] = []

/**
 * Registers a hook that runs in the transaction in which staff approve, enter or reject a payment. It
 * does not run for rejected payments that only staff had matched. The bill stays locked meanwhile, so
 * the hook must make no network calls. It can insert a row that another process sends later (an
 * outbox).
 */
export function onBillDecided(hook: Hook): void {
  hooks.push(hook)
}

export async function runBillDecidedHooks(
  decided: BillDecision,
  trx: TransactionClientContract
): Promise<void> {
  for (const hook of hooks) await hook(decided, trx)
}
