import { Person } from '#identity/public'

/**
 * Sign-up makes a person and an account of the same id (product, "Accounts"), however the person comes
 * to be and in the same transaction.
 */
export function registerAccountCreationOnSignup(): void {
  Person.after('create', async (person) => {
    if (person.audience !== 'customer') return
    const { id, name } = person
    const client = Person.$adapter.modelClient(person)
    await client.insertQuery().table('accounts').insert({ id, name })
    await client
      .insertQuery()
      .table('members')
      .insert({ account_id: id, person_id: id, role: 'owner' })
  })
}
