import BigJs from 'big.js'
import type { DateTime } from 'luxon'

/**
 * Implements the billing rules a second time (docs/product.md, "Money"; decisions 0017 and 0030),
 * in simple arithmetic and without product code. Tests compare its results with those of the
 * product.
 */

const Big = BigJs()
Big.DP = 40
type Big = BigJs

const BILLING_ZONE = 'Asia/Dhaka'
const [HALF_UP, DOWN] = [BigJs.roundHalfUp, BigJs.roundDown]

export interface SoldSubscription {
  accountId: number
  id?: number
  period: 'month' | 'year'
  price: string
  renewalPrice: string
  startedAt: DateTime
  /** Start of the first period. All later periods are counted from it. */
  anchoredAt: DateTime
  ended?: { at: DateTime; reason: 'resized' | 'deleted' }
}

interface Use {
  accountId: number
  thing: string
  meter: string
  quantity: string
  at: DateTime
}

/**
 * `price`: dollars per priced unit. `unit`: meter units per priced unit. `free`: priced units per
 * resource and month without a charge.
 */
const prices: Record<string, { price: string; unit: (hours: number) => number; free: number }> = {
  'vault.requests': { price: '0.0001', unit: () => 1, free: 0 },
  'vault.bytes_out': { price: '0.18', unit: () => 1e9, free: 10 },
  'vault.byte_hours': { price: '0.15', unit: (hours) => 1e9 * hours, free: 5 },
  'mail.accepted': { price: '0.0004', unit: () => 1, free: 0 },
}

/** Days since 1970-01-01 in the billing time zone. */
const dayOf = (time: DateTime) => {
  const { year, month, day } = time.setZone(BILLING_ZONE)
  return Date.UTC(year, month - 1, day) / 86_400_000
}

/** Number of the month, counted from January of year 0, in the billing time zone. */
const monthOf = (time: DateTime) => {
  const { year, month } = time.setZone(BILLING_ZONE)
  return year * 12 + month - 1
}

export class ModelBill {
  status = 'pending'
  paid = new Big(0)
  due: Big
  #claimed = new Big(0)

  constructor(
    readonly accountId: number,
    readonly amount: Big
  ) {
    this.due = amount
  }

  /** Returns the taka to pay, including the fee of 1.75 %. */
  payable(rate: string): string {
    return this.due.times(rate).times('1.0175').toFixed(2, HALF_UP)
  }

  /**
   * Claims payments in taka. Each transfer pays its share of the amount due, rounded down. If the
   * transfers pay everything, no remainder is left.
   */
  claim(sent: string[], rate: string): void {
    const all = this.payable(rate)
    const total = sent.reduce((sum, one) => sum.plus(one), new Big(0))
    const shares = sent.map((one) => this.due.times(one).div(all).round(6, DOWN))
    const sum = shares.reduce((before, one) => before.plus(one), new Big(0))
    this.#claimed = total.eq(all) ? this.due : sum
    this.status = 'processing'
  }

  approve(): void {
    this.paid = this.paid.plus(this.#claimed)
    this.status = 'pending'
    this.#less(this.#claimed)
  }

  reject(): void {
    this.status = 'rejected'
  }

  lessen(amount: BigJs): void {
    this.#less(new Big(amount.toFixed()))
  }

  #less(amount: Big): void {
    this.due = this.due.minus(amount)
    if (this.due.eq(0)) this.status = this.paid.gt(0) ? 'success' : 'deleted'
  }
}

export class BookModel {
  readonly bills: ModelBill[] = []
  readonly #sold: SoldSubscription[] = []
  readonly #used: Use[] = []
  readonly #open = new Map<number, Big>()
  readonly #known = new Set<string>()

  sell(accountId: number, facts: Omit<SoldSubscription, 'accountId'>): SoldSubscription {
    const sold = { accountId, ...facts }
    this.#sold.push(sold)
    return sold
  }

  use(use: Use): void {
    this.#used.push(use)
  }

  run(now: DateTime): void {
    for (const sold of this.#sold) this.#chargePeriods(sold, now)
    this.#chargeUse(now)
    for (const accountId of [...this.#open.keys()].sort((a, b) => a - b)) {
      const sum = this.#open.get(accountId)!
      // A sum below one cent waits for the next bill.
      if (sum.lt('0.01')) continue
      this.bills.push(new ModelBill(accountId, sum))
      this.#open.set(accountId, new Big(0))
    }
  }

  open(): [number, string][] {
    return [...this.#open]
      .filter(([, sum]) => !sum.eq(0))
      .sort(([a], [b]) => a - b)
      .map(([accountId, sum]) => [accountId, sum.toFixed(6)])
  }

  #once(key: string, accountId: number, dollars: () => Big): void {
    if (this.#known.has(key)) return
    const cost = dollars().round(6, HALF_UP)
    if (cost.eq(0)) return
    this.#known.add(key)
    this.#open.set(accountId, (this.#open.get(accountId) ?? new Big(0)).plus(cost))
  }

  #chargePeriods(sold: SoldSubscription, now: DateTime): void {
    const { accountId, startedAt, period, ended } = sold
    const anchor = sold.anchoredAt.setZone(BILLING_ZONE)
    for (let count = 0; ; count++) {
      const from = anchor.plus({ [period]: count })
      const to = anchor.plus({ [period]: count + 1 })
      const begins = from > startedAt ? from : startedAt
      if (begins > now || (ended && ended.at <= begins)) return
      if (to <= startedAt) continue
      const price = from <= startedAt ? sold.price : sold.renewalPrice
      const share = (days: number) => new Big(price).times(days).div(dayOf(to) - dayOf(from))
      const days = dayOf(to) - dayOf(begins)
      const key = `${sold.id}:${count}`
      this.#once(key, accountId, () => share(days))
      if (!ended || ended.at > now || ended.at >= to) continue
      // The day of a resize belongs to the next subscription. The day of a deletion counts as used.
      const used = ended.reason === 'resized' ? 0 : 1
      const unused = Math.min(days, dayOf(to) - dayOf(ended.at) - used)
      if (unused > 0) this.#once(`${key}:ended`, accountId, () => share(unused).times(-1))
    }
  }

  #chargeUse(now: DateTime): void {
    const last = monthOf(now.setZone(BILLING_ZONE).minus({ hours: 12 })) - 1
    const sums = new Map<string, { of: Use; month: number; total: Big }>()
    for (const of of this.#used) {
      const month = monthOf(of.at)
      if (month > last) continue
      const key = `${of.accountId} ${of.thing} ${of.meter} ${month}`
      const known = sums.get(key)?.total ?? new Big(0)
      sums.set(key, { of, month, total: known.plus(of.quantity) })
    }
    for (const [key, { of, month, total }] of sums) {
      const first = Date.UTC(Math.floor(month / 12), month % 12)
      const hours = (Date.UTC(Math.floor(month / 12), (month % 12) + 1) - first) / 3_600_000
      const { price, unit, free } = prices[of.meter]
      // The charge is computed from the rounded quantity that bills show, so that readers can check it.
      const billed = total.div(unit(hours)).minus(free).round(6, HALF_UP)
      if (billed.gt(0)) this.#once(key, of.accountId, () => billed.times(price))
    }
  }
}
