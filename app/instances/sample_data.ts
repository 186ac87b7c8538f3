import { ServerPackage } from '#catalog/public'
import type { CreateSampleData } from '#core/modules'
import { AppError } from '#core/app_error'
import { Person, actorOf } from '#identity/public'
import { orderInstance } from '#instances/actions/order_instance'
import ServerInstance from '#instances/models/server_instance'

const sampleData: CreateSampleData = async (sample) => {
  const types = ['regular', 'shared'] as const
  let ordered = 0
  for (const [index, accountId] of sample.customers.entries()) {
    if (await ServerInstance.query().where({ accountId }).first()) continue
    const person = await Person.findOrFail(accountId)
    const instanceType = types[index % types.length]
    const smallest = await ServerPackage.query()
      .where({ instanceType, offered: true })
      .orderBy('position')
      .firstOrFail()
    try {
      await orderInstance(await actorOf(person), {
        name: `sample-${index + 1}`,
        instanceType,
        serverPackageId: smallest.id,
        billingPeriod: 'month',
      })
      ordered++
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      sample.report(`No instance for ${person.name}: ${error.message}`)
    }
  }
  sample.report(`${ordered} server instances, being created`)
}

export default sampleData
