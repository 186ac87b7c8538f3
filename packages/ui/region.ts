import { createContext, useContext } from 'react'

/** Currency and time zone of amounts and times. The server sends them with each page. */
export interface Region {
  /** ISO 4217 code such as `EUR`. */
  currency: string
  /** Currency name within a sentence: `taka`, `EUR`. */
  name: string
  /** Symbol before amounts. */
  symbol: string
  /** Decimal places of amounts. */
  digits: number
  /** IANA time zone. */
  timeZone: string
}

/** Without a provider, amounts have the generic currency sign and times are in UTC. */
export const RegionContext = createContext<Region>({
  currency: 'XXX',
  name: 'money',
  symbol: '¤',
  digits: 2,
  timeZone: 'UTC',
})

export const useRegion = () => useContext(RegionContext)

/** Returns the currency name for the start of a label: `Taka`, `EUR`. */
export const currencyLabel = ({ name }: Region) => `${name[0].toUpperCase()}${name.slice(1)}`
