import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/**
 * A transfer claimed as payment of a bill, by the customer or by staff. Staff decide on all transfers
 * of one claim together.
 */
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
   * Transaction ID of the operator or bank; for cash, `CASH-` and the receipt's number. A transfer can
   * pay only one bill. Upper case, no spaces.
   */
  @column()
  declare trxId: string

  @column()
  declare reference: string | null

  /** Amount paid, in the bill's currency. */
  @column()
  declare amount: string

  /** Taka that the customer sent. Includes the fee of mobile money. */
  @column()
  declare taka: string

  /** Taka that the customer reported, if a different amount (`taka`) arrived. Otherwise `null`. */
  @column()
  declare reportedTaka: string | null

  /** Transaction ID that the customer reported, if staff corrected it. Otherwise `null`. */
  @column()
  declare reportedTrxId: string | null

  /** True: staff matched a transfer of a statement with the bill. The customer reported nothing. */
  @column()
  declare fromStatement: boolean

  /**
   * How the money was paid, for a payment that staff entered. `null`: the customer reported the
   * transfer, or staff matched it with a statement.
   */
  @column()
  declare method: 'cash' | 'bank' | null

  /** Day of a payment that staff entered. */
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
