/**
 * Families of bills. A partner's module that creates bills adds its family:
 * `declare module '#billing/bill_families' { interface BillFamilies { partner: true } }`.
 */
export interface BillFamilies {
  console: true
}
export type BillFamily = keyof BillFamilies
export type ExternalBillFamily = Exclude<BillFamily, 'console'>

/** The currency of partners' bills. Berth's own bills are in dollars. */
export const PARTNER_CURRENCY = 'BDT'

const partnerNames = new Map<BillFamily, string>()

/** `name` is shown to people. */
export function registerExternalBillFamily(family: ExternalBillFamily, name: string): void {
  partnerNames.set(family, name)
}

/** Returns the partner's name, or the family's key if no module has registered it. */
export function partnerName(family: BillFamily): string {
  return partnerNames.get(family) ?? family
}

/** Returns a bill's name for people: its number, or the partner's name with the partner's id. */
export function billLabel(bill: {
  family: BillFamily
  number: string | null
  externalId: string | null
}): string {
  return bill.number ?? `${partnerName(bill.family)} ${bill.externalId}`
}
