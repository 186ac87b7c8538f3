import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** One transfer that somebody says they made for a bill; several of one attempt are decided together. */
export default class BillPayment extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare billId: number

  /** Which claim of the bill it belongs to, from 1 on. */
  @column()
  declare attempt: number

  @column()
  declare accountNumber: string

  /** Of the operator; pays one bill. Upper case, no spaces. */
  @column()
  declare trxId: string

  @column()
  declare reference: string | null

  /** What it pays of the bill, in the bill's currency. */
  @column()
  declare amount: string

  /** What was sent, the charge included. */
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
