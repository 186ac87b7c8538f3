import type ServerPackage from '#catalog/models/server_package'

/** What can be bought, as `/services` shows it; prices in US dollars, exact decimals. */
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
