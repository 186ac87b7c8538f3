import { storeDatabase } from '#databases/actions/store_database'
import Database from '#databases/models/database'
import { newPassword } from '#databases/passwords'
import type { SampleData } from '#core/modules'
import { AppError } from '#core/app_error'
import { actorOf, Person } from '#identity/public'
import { ServerInstance } from '#instances/public'

/** A real database on the first regular sample instance; its server is installed with it. */
const sampleData: SampleData = async (sample) => {
  const instance = await ServerInstance.query()
    .whereIn('accountId', sample.customers)
    .where({ status: 'active', instanceType: 'regular' })
    .orderBy('id')
    .first()
  if (!instance) return sample.tell('No database: no regular sample instance is active')
  if (await Database.query().where('serverInstanceId', instance.id).first()) return
  const person = await Person.findOrFail(instance.accountId)
  const place = { instance, managed: null, problem: null }
  const sent = {
    database_name: 'sample_shop',
    username: 'sample_shop',
    user_password: newPassword(),
  }
  try {
    await storeDatabase(await actorOf(person), place, 'mysql', sent)
    sample.tell('1 database, being made')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    sample.tell(`No database for ${person.name}: ${error.message}`)
  }
}

export default sampleData
