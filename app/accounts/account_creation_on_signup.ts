import { Person } from '#identity/public'

/**
 * Registers a hook that creates an account for each new customer. It runs in the transaction that creates the
 * customer. The account gets the customer's id.
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
