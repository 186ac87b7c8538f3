import type { AccountStatus } from '#core/contracts/actor'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** `overdue`: Berth suspended the account because of an unpaid bill. */
export type SuspensionCause = 'staff' | 'overdue'

export default class Account extends BaseModel {
  /** Equals the id of the person who created the account. */
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare name: string

  @column()
  declare status: AccountStatus

  /** Why the status is not `active`. Members of the account read it. */
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
