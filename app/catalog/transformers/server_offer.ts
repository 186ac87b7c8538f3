import type ServerPackage from '#catalog/models/server_package'

/** For the public price list. Prices are exact decimals in US dollars. */
export function serverOffer(row: ServerPackage) {
  const { name, instanceType, serverSeries, specifications, pricing } = row
  return {
    name,
    instance_type: instanceType,
    server_series: serverSeries,
    specifications: { ...specifications },
    pricing,
  }
}
