import { Big } from 'big.js'

/** USD for an accepted mail (product, "Money"). */
const PRICE = '0.0004'

/** What so many accepted mails cost, as an exact decimal of USD. */
export function priceOfMails(count: number): string {
  return new Big(PRICE).times(count).toFixed()
}
