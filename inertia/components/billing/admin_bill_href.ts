import type { BillFamily } from './types'

interface BillId {
  bill_id: number
  family: BillFamily
}

export function adminBillHref({ bill_id: id, family }: BillId) {
  return family === 'console'
    ? (`/admin/billing/details/${id}` as const)
    : (`/admin/autocourier-billing/details/${id}` as const)
}
