import type { CreateSampleData } from '#core/modules'
import { AppError } from '#core/app_error'
import { actorOf, Person } from '#identity/public'
import { createMailDomain } from '#mail/actions/mail_domains'
import { createSender } from '#mail/actions/create_sender'
import Sender from '#mail/models/sender'

const sampleData: CreateSampleData = async (sample) => {
  const [accountId] = sample.customers
  if (!accountId || (await Sender.query().where({ accountId }).first())) return
  const person = await Person.findOrFail(accountId)
  try {
    const actor = await actorOf(person)
    await createSender(actor, 'sample-orders@example.com')
    await createMailDomain(actor, 'sample-shop.example.com')
    sample.report('1 sender address, 1 mail domain')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    sample.report(`No mail for ${person.name}: ${error.message}`)
  }
}

export default sampleData
