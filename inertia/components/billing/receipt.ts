import type { PartRow } from '~/components/billing/types'

/** Why there is no receipt; null where a payment was approved. */
export function noReceiptOf(parts: PartRow[]): string | null {
  const isPaid = parts.some(({ status }) => status === 'approved')
  return isPaid ? null : 'There is a receipt once a payment is approved.'
}
