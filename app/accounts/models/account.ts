import type { AccountStatus } from '#core/contracts/actor'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** Who suspended an account: staff, or Berth because of an unpaid bill. */
export type SuspensionCause = 'staff' | 'overdue'

/** A customer account, which owns resources and pays for them (product, "Accounts"). */
export default class Account extends BaseModel {
  /** The id of the person who created it. */
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare status: AccountStatus

  /** Reason for a status other than `active`, written for the members. */
  @column()
  declare statusReason: string | null

  @column.dateTime()
  declare suspendedAt: DateTime | null

  @column()
  declare suspendedFor: SuspensionCause | null

  @column.dateTime()
  declare resumedAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime
}
