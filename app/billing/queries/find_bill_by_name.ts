import { listExternalBillFamilies, partnerName } from '#billing/bill_families'
import Bill from '#billing/models/bill'
import { invalid } from '#core/app_error'

/** Prefix that people type to mean Berth's bill, if a partner's bill has the same id. */
const OWN_PREFIX = 'Berth'

/**
 * Finds a bill by its number or the partner's id of it. The issuer's name can precede it:
 * `B-2026-000042`, `AC-1`, `Berth B-2026-000042`.
 * @throws 422 if no bill, or more than one, has this name
 */
export async function findBillByName(name: string): Promise<Bill> {
  const bills = await Bill.query()
    .where({ number: name })
    .orWhere({ externalId: name })
    .orWhere({ number: withoutPrefix(name, OWN_PREFIX) })
    .orWhere((either) => {
      for (const family of listExternalBillFamilies())
        either.orWhere({ family, externalId: withoutPrefix(name, partnerName(family)) })
    })
    .orderBy('id')
  const [bill, ...others] = bills
  if (!bill) throw invalid({ bill: 'No bill has this number.' })
  if (others.length) {
    const names = bills.map(fullName).join(' or ')
    throw invalid({ bill: `Several bills have this number. Enter ${names}.` })
  }
  return bill
}

const fullName = ({ number, label }: Bill) => (number ? `${OWN_PREFIX} ${number}` : label)

const withoutPrefix = (name: string, prefix: string) =>
  name.startsWith(`${prefix} `) ? name.slice(prefix.length + 1) : ''
