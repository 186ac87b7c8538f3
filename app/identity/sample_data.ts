import type { CreateSampleData } from '#core/modules'
import Person from '#identity/models/person'

const customers = ['Bookshop', 'Bakery', 'School']

/** Names and email addresses show that the people are samples. They have no password, so nobody can sign in as them. */
const sampleData: CreateSampleData = async (sample) => {
  for (const trade of customers) {
    const email = `sample-${trade.toLowerCase()}@example.com`
    const known = await Person.findByAddress('customer', email)
    const person =
      known ?? (await Person.create({ audience: 'customer', name: `Sample ${trade}`, email }))
    sample.customers.push(person.id)
  }
  const email = 'sample-support@example.com'
  if (!(await Person.findByAddress('staff', email))) {
    await Person.create({ audience: 'staff', role: 'support', name: 'Sample Support', email })
  }
  sample.report(`${customers.length} customers and one member of staff`)
}

export default sampleData
