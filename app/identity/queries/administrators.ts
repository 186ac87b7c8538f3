import Person from '#identity/models/person'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Lists addresses of administrators who are not disabled. */
export async function listAdministratorEmails(trx?: TransactionClientContract): Promise<string[]> {
  const people = await Person.query({ client: trx })
    .where({ audience: 'staff', role: 'administrator' })
    .whereNull('disabledAt')
    .orderBy('id')
  return people.map(({ email }) => email)
}
