import { Big } from 'big.js'

/** USD per accepted message (product, "Money"). */
const PRICE_PER_MAIL_DOLLARS = '0.0004'

/** Returns the price of accepted messages in USD, as an exact decimal. */
export function priceOfMails(count: number): string {
  return new Big(PRICE_PER_MAIL_DOLLARS).times(count).toFixed()
}
