import { createContext, useContext } from 'react'

/** Currency and time zone in which pages show amounts and times. The server sends them with each page. */
export interface Region {
  /** ISO 4217 code such as `EUR`. */
  currency: string
  /** Name of the currency inside a sentence: `taka`, `EUR`. */
  name: string
  /** Shown before amounts. */
  symbol: string
  /** Decimal places of amounts. */
  digits: number
  /** IANA time zone. */
  timeZone: string
}

/** Default for components without a provider: the generic currency sign, and UTC. */
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
