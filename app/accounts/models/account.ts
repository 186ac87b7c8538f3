import type { AccountStatus } from '#core/contracts/actor'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** Why an account is suspended: by staff, or for a bill that was not paid. */
export type SuspensionCause = 'staff' | 'overdue'

/** Whose a customer's things are, and who pays for them (product, "Accounts"). */
export default class Account extends BaseModel {
  /** The id of the person who founded it. */
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare status: AccountStatus

  /** Why it is not active, in words for its members. */
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
