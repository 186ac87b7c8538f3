import { Big } from 'big.js'

/** USD for an accepted mail (product, "Money"). */
const PRICE_PER_MAIL_DOLLARS = '0.0004'

/** What so many accepted mails cost, as an exact decimal of USD. */
export function priceOfMails(count: number): string {
  return new Big(PRICE_PER_MAIL_DOLLARS).times(count).toFixed()
}
