import { audit } from '#core/audit/audit'
import Person from '#identity/models/person'
import db from '@adonisjs/lucid/services/db'
import { randomBytes } from 'node:crypto'

/** Returns `null` if there already is a staff member. Of concurrent calls, only one creates an administrator. */
export async function makeFirstAdministrator(
  email = 'admin@localhost.localdomain'
): Promise<{ email: string; password: string } | null> {
  return db.transaction(async (trx) => {
    await trx.rawQuery(`select pg_advisory_xact_lock(hashtext('people.first_administrator'))`)
    if (await Person.query({ client: trx }).where('audience', 'staff').first()) return null
    const password = randomBytes(15).toString('base64url')
    const person = await Person.create(
      {
        audience: 'staff',
        role: 'administrator',
        name: 'Administrator',
        title: 'Owner',
        email,
        password,
      },
      { client: trx }
    )
    const subject = { type: 'person' as const, id: person.id, label: email }
    const after = { email, role: 'administrator' }
    await audit({ actor: null, action: 'staff.first_administrator', subject, after }, trx)
    return { email, password }
  })
}
