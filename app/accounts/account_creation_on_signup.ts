import { Person } from '#identity/public'

/** The account has the customer's id, and is created in the same transaction (docs/product.md, "Accounts"). */
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
