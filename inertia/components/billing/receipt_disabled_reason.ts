import type { PaymentTransferRow } from '~/components/billing/types'

/** Returns null after a payment was approved. */
export function receiptDisabledReason(parts: PaymentTransferRow[]): string | null {
  const isPaid = parts.some(({ status }) => status === 'approved')
  return isPaid ? null : 'A receipt is available after a payment is approved.'
}
