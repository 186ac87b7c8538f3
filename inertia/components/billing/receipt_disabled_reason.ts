import type { PaymentTransferRow } from '~/components/billing/types'

/** Returns why there is no receipt. Null: a payment was approved, so there is one. */
export function receiptDisabledReason(parts: PaymentTransferRow[]): string | null {
  const isPaid = parts.some(({ status }) => status === 'approved')
  return isPaid ? null : 'A receipt is available after a payment is approved.'
}
