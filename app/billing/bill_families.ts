/**
 * Families of bills. The module of a partner that creates bills adds its family:
 * `declare module '#billing/bill_families' { interface BillFamilies { partner: true } }`.
 */
export interface BillFamilies {
  console: true
}
export type BillFamily = keyof BillFamilies
/** Families of partners, which create their bills under ids of their own. */
export type ExternalBillFamily = Exclude<BillFamily, 'console'>

const partnerNames = new Map<BillFamily, string>()

/** Registers a partner's family of bills. `name` is the partner's, as people read it. */
export function registerExternalBillFamily(family: ExternalBillFamily, name: string): void {
  partnerNames.set(family, name)
}

/** Returns the partner's name, or the family's key where no module has registered it. */
export function partnerName(family: BillFamily): string {
  return partnerNames.get(family) ?? family
}

/** Returns what people call a bill: its number, or the partner's name with its id there. */
export function billLabel(bill: {
  family: BillFamily
  number: string | null
  externalId: string | null
}): string {
  return bill.number ?? `${partnerName(bill.family)} ${bill.externalId}`
}
