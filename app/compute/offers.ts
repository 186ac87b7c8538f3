import ServerInstance from '#compute/models/server_instance'
import ServerPackage from '#compute/models/server_package'
import { countOnDashboard } from '#core/contracts/dashboard_counts'
import { offers } from '#core/contracts/offers'

/** What compute tells the pages of domains below it: what can be bought, what a customer has. */
offers.serverOffers = async () => {
  const packages = await ServerPackage.query()
    .where('offered', true)
    .orderBy('instance_type')
    .orderBy('position')
    .orderBy('id')
  return packages.map(({ name, instanceType, serverSeries, specifications, pricing }) => ({
    name,
    instance_type: instanceType,
    server_series: serverSeries,
    specifications: { ...specifications },
    pricing,
  }))
}

offers.instanceChoices = async (customerId) => {
  const instances = await ServerInstance.query()
    .where({ customerId })
    .whereNot('status', 'deleted')
    .orderBy('name')
  return instances.map(({ id, name }) => ({ id, name }))
}

countOnDashboard('servers', async (customerId) => {
  const row = await ServerInstance.query()
    .where({ customerId })
    .whereNot('status', 'deleted')
    .count('* as total')
    .first()
  return Number(row?.$extras.total ?? 0)
})
