import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** A transfer claimed for a bill. Staff decide on all transfers of a claim together. */
export default class BillPayment extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare billId: number

  @column()
  declare attempt: number

  @column()
  declare accountNumber: string

  /**
   * Transaction id that the mobile-money operator gave the transfer. A transfer can pay only one
   * bill. Upper case, no spaces.
   */
  @column()
  declare trxId: string

  @column()
  declare reference: string | null

  /** Amount paid, in the bill's currency. */
  @column()
  declare amount: string

  /** Taka sent, with the fee. */
  @column()
  declare taka: string

  /** Taka that the customer reported, if a different sum (`taka`) arrived. */
  @column()
  declare reportedTaka: string | null

  /** The reported transaction ID, if staff corrected it. */
  @column()
  declare reportedTrxId: string | null

  /** Staff matched a transfer of a statement with the bill. The customer reported nothing. */
  @column()
  declare fromStatement: boolean

  /** `null` for a transfer that the customer reported. */
  @column()
  declare method: 'cash' | 'bank' | null

  /** ISO date, for a payment that staff entered. */
  @column()
  declare paidOn: string | null

  @column()
  declare dollarRate: string

  @column()
  declare status: 'claimed' | 'approved' | 'rejected'

  @column()
  declare note: string | null

  @column()
  declare claimedBy: number | null

  @column.dateTime({ autoCreate: true })
  declare claimedAt: DateTime

  @column()
  declare decidedBy: number | null

  @column.dateTime()
  declare decidedAt: DateTime | null
}
