/**
 * Issuers of bills: Berth, and partners. A partner's module adds its name: `declare module
 * '#billing/bill_families' { interface BillFamilies { partner: true } }`.
 */
export interface BillFamilies {
  console: true
}
export type BillFamily = keyof BillFamilies
export type ExternalBillFamily = Exclude<BillFamily, 'console'>

/** Berth's own bills are in dollars. */
export const PARTNER_CURRENCY = 'BDT'

const partnerNames = new Map<BillFamily, string>()

/** @param name label on screens */
export function registerExternalBillFamily(family: ExternalBillFamily, name: string): void {
  partnerNames.set(family, name)
}

export const listExternalBillFamilies = () => [...partnerNames.keys()]

export function partnerName(family: BillFamily): string {
  return partnerNames.get(family) ?? family
}

export function billLabel(bill: {
  family: BillFamily
  number: string | null
  externalId: string | null
}): string {
  return bill.number ?? `${partnerName(bill.family)} ${bill.externalId}`
}
