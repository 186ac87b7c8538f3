import { type BillFamily, billLabel } from '#billing/bill_families'
import type { BillStatus } from '#billing/statuses'
import Big from 'big.js'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export interface IssuedParties {
  buyer: { name: string; email: string }
  /** `vat`: percentage that the amounts include. Older bills have none. */
  seller: { name: string; address: string; bin: string; vat?: string }
  /** Fee of payments in percent. Older bills use the default. */
  fee?: string
}

/**
 * A bill. Amounts are exact decimals: dollars on Berth's own bills, taka on bills of partners. The database
 * rejects changes to issued fields.
 */
export default class Bill extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare family: BillFamily

  /** `B-2026-000001`, without gaps. `null`: a partner's bill. */
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

  /** ISO date in `zone`. */
  @column.date()
  declare billingDate: DateTime

  /** Last day to pay. `null`: a partner's bill. */
  @column.date()
  declare dueDate: DateTime | null

  @column()
  declare zone: string

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare issued: IssuedParties

  /** The database sets it when the bill is issued (decision 0081). `null`: no rate was set then. */
  @column()
  declare dollarRate: string | null

  /** Day of the frozen rate. `null`: the bill was settled before rates were frozen. */
  @column.date()
  declare rateDay: DateTime | null

  /** Mobile money account of the last claimed payment. */
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
