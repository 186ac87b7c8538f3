import type ServerPackage from '#catalog/models/server_package'

/** What can be bought, as `/services` shows it. */
export interface ServerOffer {
  name: string
  instance_type: string
  server_series: string
  specifications: Record<string, { value: number | string; unit?: string; type?: string }>
  /** US dollars, exact decimals. */
  pricing: { period: string; price: string }[]
}

export function serverOffer(row: ServerPackage): ServerOffer {
  const { name, instanceType, serverSeries, specifications, pricing } = row
  return {
    name,
    instance_type: instanceType,
    server_series: serverSeries,
    specifications: { ...specifications },
    pricing,
  }
}
