import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/**
 * A transfer that a customer claims to have made for a bill. Transfers of one attempt are decided together.
 */
export default class BillPayment extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare billId: number

  /** Number of the claim within the bill, from 1. */
  @column()
  declare attempt: number

  @column()
  declare accountNumber: string

  /** The operator's transaction id, which can pay only one bill. Upper case, no spaces. */
  @column()
  declare trxId: string

  @column()
  declare reference: string | null

  /** The amount paid of the bill, in the bill's currency. */
  @column()
  declare amount: string

  /** Taka sent, with the fee. */
  @column()
  declare taka: string

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
