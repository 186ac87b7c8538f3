import { createContext, useContext } from 'react'

/** Currency and time zone of a page's amounts and times. The server sends them with each page. */
export interface Region {
  /** ISO 4217 code: `EUR`. */
  currency: string
  /** In a sentence: `taka`, `EUR`. */
  name: string
  /** Shown before amounts. */
  symbol: string
  /** Decimal places of amounts. */
  digits: number
  /** IANA name. */
  timeZone: string
}

/** Without a provider, amounts have the sign for any currency, and times are UTC. */
export const RegionContext = createContext<Region>({
  currency: 'XXX',
  name: 'money',
  symbol: '¤',
  digits: 2,
  timeZone: 'UTC',
})

export const useRegion = () => useContext(RegionContext)

/** Returns the currency for the start of a label: `Taka`, `EUR`. */
export const currencyLabel = ({ name }: Region) => `${name[0].toUpperCase()}${name.slice(1)}`
