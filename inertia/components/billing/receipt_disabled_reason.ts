import type { PaymentTransferRow } from '~/components/billing/types'

/** Why there is no receipt; null where a payment was approved. */
export function receiptDisabledReason(parts: PaymentTransferRow[]): string | null {
  const isPaid = parts.some(({ status }) => status === 'approved')
  return isPaid ? null : 'A receipt is available after a payment is approved.'
}
