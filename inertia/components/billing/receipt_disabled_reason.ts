import type { PaymentTransferRow } from '~/components/billing/types'

/** Returns why there is no receipt, or null after a payment was approved. */
export function receiptDisabledReason(parts: PaymentTransferRow[]): string | null {
  const isPaid = parts.some(({ status }) => status === 'approved')
  return isPaid ? null : 'A receipt is available after a payment is approved.'
}
