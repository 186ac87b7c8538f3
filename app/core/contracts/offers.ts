/** What can be bought, as `/services` and the dashboard's choices show it. */
export interface ServerOffer {
  name: string
  instance_type: string
  server_series: string
  specifications: Record<string, { value: number | string; unit?: string; type?: string }>
  /** US dollars, exact decimals. */
  pricing: { period: string; price: string }[]
}

export interface InstanceChoice {
  id: number
  name: string
}

interface Sources {
  /** The packages that can be ordered, in their order. */
  serverOffers?: () => Promise<ServerOffer[]>
  /** The instances that a customer can make the default one. */
  instanceChoices?: (accountId: number) => Promise<InstanceChoice[]>
}

/** Bound by the domain that has instances. */
export const offers: Sources = {}
