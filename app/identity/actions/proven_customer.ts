import { audit } from '#core/audit/audit'
import Person from '#identity/models/person'
import db from '@adonisjs/lucid/services/db'

/**
 * The customer with an address that was proven, by a code or by Google; a new one where there is
 * none yet. Two at once get the same one.
 */
export async function provenCustomer(
  email: string,
  { name, ip, way }: { name?: string; ip: string; way: 'code' | 'google' }
): Promise<Person> {
  const address = email.toLowerCase()
  const found = await Person.findByAddress('customer', address)
  if (found) return found
  return db.transaction(async (trx) => {
    const { rows } = await trx.rawQuery(
      `insert into people (audience, name, email) values ('customer', ?, ?)
       on conflict (audience, lower(email)) do nothing returning id`,
      [(name?.trim() || address.split('@')[0]).slice(0, 100), address]
    )
    if (rows.length) {
      await audit(
        {
          actor: { id: rows[0].id, name: address.split('@')[0], email: address },
          customerId: rows[0].id,
          action: 'person.register',
          subject: { type: 'person', id: rows[0].id, label: address },
          after: { email: address, way },
          ip,
        },
        trx
      )
    }
    return Person.query({ client: trx })
      .where('audience', 'customer')
      .whereRaw('lower(email) = ?', [address])
      .firstOrFail()
  })
}
