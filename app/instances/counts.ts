import { countOnDashboard } from '#core/contracts/dashboard_counts'
import { offers } from '#core/contracts/offers'
import ServerInstance from '#instances/models/server_instance'

/** What instances tell the pages of domains below: what a customer has. */
offers.instanceChoices = async (accountId) => {
  const instances = await ServerInstance.query()
    .where({ accountId })
    .whereNot('status', 'deleted')
    .orderBy('name')
  return instances.map(({ id, name }) => ({ id, name }))
}

countOnDashboard('servers', async (accountId) => {
  const row = await ServerInstance.query()
    .where({ accountId })
    .whereNot('status', 'deleted')
    .count('* as total')
    .first()
  return Number(row?.$extras.total ?? 0)
})
