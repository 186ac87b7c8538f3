import Person from '#identity/models/person'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export async function listAdministratorEmails(trx?: TransactionClientContract): Promise<string[]> {
  const people = await Person.query({ client: trx })
    .where({ audience: 'staff', role: 'administrator' })
    .whereNull('disabledAt')
    .orderBy('id')
  return people.map(({ email }) => email)
}
