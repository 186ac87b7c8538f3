import { type BillFamily, billLabel } from '#billing/bill_families'
import type { BillStatus } from '#billing/statuses'
import Big from 'big.js'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** Buyer and seller as they were on the day of the bill. */
export interface IssuedParties {
  buyer: { name: string; email: string }
  /** `vat`: the percentage that stands in the sums already; older bills have none. */
  seller: { name: string; address: string; bin: string; vat?: string }
}

/**
 * What somebody is to pay. Amounts are in dollars for the console's bills and in taka for those of partners,
 * exact decimals. What was issued stays as it is; the database refuses anything else.
 */
export default class Bill extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare family: BillFamily

  /** `B-2026-000001`, without gaps; null for bills of partners. */
  @column()
  declare number: string | null

  @column()
  declare accountId: number | null

  /** The partner's id of it. */
  @column()
  declare externalId: string | null

  /** The partner's id of its customer. */
  @column()
  declare externalUser: string | null

  @column()
  declare currency: 'USD' | 'BDT'

  @column()
  declare amount: string

  /** Approved payments. */
  @column()
  declare paid: string

  @column()
  declare credited: string

  @column()
  declare writtenOff: string

  @column()
  declare status: BillStatus

  /** ISO day in `zone`. */
  @column.date()
  declare billingDate: DateTime

  /** The last day to pay; null for bills of partners. */
  @column.date()
  declare dueDate: DateTime | null

  @column()
  declare zone: string

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare issued: IssuedParties

  /** Frozen by paying; null while it is paid at today's. */
  @column()
  declare dollarRate: string | null

  /** Where the claim that was made last says the money came from. */
  @column()
  declare accountNumber: string | null

  @column()
  declare trxId: string | null

  @column()
  declare reference: string | null

  /** What staff said of the claim. */
  @column()
  declare note: string | null

  /** How often a payment was claimed. */
  @column()
  declare attempts: number

  /** When its account was suspended for it. */
  @column.dateTime()
  declare suspendedAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  /** What is still to be paid, in the bill's currency. */
  get due(): string {
    const { amount, paid, credited, writtenOff } = this
    return new Big(amount).minus(paid).minus(credited).minus(writtenOff).toFixed()
  }

  /** What people call it. */
  get label(): string {
    return billLabel(this)
  }
}
