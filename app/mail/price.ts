import { regionalSettings } from '#core/settings/regional_settings'
import { Big } from 'big.js'

/** In USD, as an exact decimal. */
export function calculateMailPrice(count: number): string {
  return new Big(regionalSettings().prices.mail).times(count).toFixed()
}
