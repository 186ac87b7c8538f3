import { audit } from '#core/audit/audit'
import { violatedUniqueKey } from '#core/unique_keys'
import Person from '#identity/models/person'
import db from '@adonisjs/lucid/services/db'

/** Call it only after a code or Google has proved the address. Concurrent calls return the same customer. */
export async function findOrCreateCustomer(
  email: string,
  { name, ip, way }: { name?: string; ip: string; way: 'code' | 'google' }
): Promise<Person> {
  const address = email.toLowerCase()
  const person = await Person.findByAddress('customer', address)
  if (person) return person
  try {
    return await db.transaction(async (trx) => {
      const called = (name?.trim() || address.split('@')[0]).slice(0, 100)
      const person = await Person.create(
        { audience: 'customer', name: called, email: address },
        { client: trx }
      )
      await audit(
        {
          actor: { id: person.id, name: address.split('@')[0], email: address },
          accountId: person.id,
          action: 'person.register',
          subject: { type: 'person', id: person.id, label: address },
          after: { email: address, way },
          ip,
        },
        trx
      )
      return person
    })
  } catch (error) {
    if (violatedUniqueKey(error) !== 'people_address') throw error
    const other = await Person.findByAddress('customer', address)
    if (other) return other
    throw error
  }
}
