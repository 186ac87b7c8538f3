import { Person } from '#identity/public'

/** Gives each new customer an account with the customer's id, in the transaction that creates the customer. */
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
