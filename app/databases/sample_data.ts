import { startDatabaseCreation } from '#databases/actions/start_database_creation'
import Database from '#databases/models/database'
import { generateServicePassword } from '#core/service_passwords'
import type { CreateSampleData } from '#core/modules'
import { AppError } from '#core/app_error'
import { actorOf, Person } from '#identity/public'
import { ServerInstance } from '#instances/public'

const sampleData: CreateSampleData = async (sample) => {
  const instance = await ServerInstance.query()
    .whereIn('accountId', sample.customers)
    .where({ status: 'active', instanceType: 'regular' })
    .orderBy('id')
    .first()
  if (!instance) return sample.report('No database: no regular sample instance is active')
  if (await Database.query().where('serverInstanceId', instance.id).first()) return
  const person = await Person.findOrFail(instance.accountId)
  const location = { instance, managed: null, problem: null }
  const sent = {
    database_name: 'sample_shop',
    username: 'sample_shop',
    user_password: generateServicePassword(),
  }
  try {
    await startDatabaseCreation(await actorOf(person), location, 'mysql', sent)
    sample.report('1 database, being created')
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    sample.report(`No database for ${person.name}: ${error.message}`)
  }
}

export default sampleData
