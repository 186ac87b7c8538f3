import { type BillFamily, billLabel } from '#billing/bill_families'
import type { BillStatus } from '#billing/statuses'
import Big from 'big.js'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export interface IssuedParties {
  buyer: { name: string; email: string }
  /** `vat`: percentage that the amounts include. Missing in older bills. */
  seller: { name: string; address: string; bin: string; vat?: string }
  /** Fee of mobile money payments in percent. Missing in partners' bills, and in older bills, which use the default. */
  fee?: string
}

/**
 * Amounts are exact decimals: dollars on Berth's own bills, taka on bills of partners. The database rejects
 * changes to issued fields.
 */
export default class Bill extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare family: BillFamily

  /** Without gaps: `B-2026-000001`. `null`: a partner's bill. */
  @column()
  declare number: string | null

  @column()
  declare accountId: number | null

  /** The bill's id in the partner's system. */
  @column()
  declare externalId: string | null

  /** The customer's id in the partner's system. */
  @column()
  declare externalUser: string | null

  @column()
  declare currency: 'USD' | 'BDT'

  @column()
  declare amount: string

  @column()
  declare paid: string

  @column()
  declare credited: string

  @column()
  declare writtenOff: string

  @column()
  declare status: BillStatus

  /** Date in the time zone `zone`. */
  @column.date()
  declare billingDate: DateTime

  /** Last day to pay. `null`: a partner's bill. */
  @column.date()
  declare dueDate: DateTime | null

  @column()
  declare zone: string

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare issued: IssuedParties

  /**
   * Taka per dollar, frozen by the database when the bill is issued (decision 0081). `null`: no rate
   * was set then, or the bill is a partner's. The first payment then sets the rate.
   */
  @column()
  declare dollarRate: string | null

  /** Day of the frozen rate. `null`: none is frozen, or the bill was paid before Berth froze rates. */
  @column.date()
  declare rateDay: DateTime | null

  /** Payer's mobile money account, from the last payment. `Cash` or `Bank transfer` if staff entered it. */
  @column()
  declare accountNumber: string | null

  @column()
  declare trxId: string | null

  @column()
  declare reference: string | null

  @column()
  declare note: string | null

  @column()
  declare attempts: number

  @column.dateTime()
  declare suspendedAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  /** Unpaid amount in the bill's currency. */
  get due(): string {
    const { amount, paid, credited, writtenOff } = this
    return new Big(amount).minus(paid).minus(credited).minus(writtenOff).toFixed()
  }

  get label(): string {
    return billLabel(this)
  }
}
