import ServerPackage from '#catalog/models/server_package'
import { offers } from '#core/contracts/offers'

/** What the catalogue tells the pages of domains below it: what can be bought. */
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
