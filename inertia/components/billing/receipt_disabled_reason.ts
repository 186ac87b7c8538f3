import type { PaymentTransferRow } from '~/components/billing/types'

/** Returns why the bill has no receipt. Null: a payment was approved, so a receipt exists. */
export function receiptDisabledReason(parts: PaymentTransferRow[]): string | null {
  const isPaid = parts.some(({ status }) => status === 'approved')
  return isPaid ? null : 'A receipt is available after a payment is approved.'
}
