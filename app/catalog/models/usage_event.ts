import type { MeterKey } from '#core/modules'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/**
 * That something which is paid by use was used. Written by the domain that serves it; billing reads
 * them, no domain knows billing.
 */
export default class UsageEvent extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  /** What is counted. */
  @column()
  declare meter: MeterKey

  /** Exact decimal, in the unit of the meter. */
  @column()
  declare quantity: string

  /** When it was used; of a day, its beginning (UTC). */
  @column.dateTime()
  declare at: DateTime

  /** Of one use, always the same: it is counted once. */
  @column()
  declare source: string

  /** Noun and id: `vault:7`. */
  @column()
  declare thing: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}
