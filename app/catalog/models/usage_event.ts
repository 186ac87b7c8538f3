import type { MeterKey } from '#core/modules'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/**
 * Usage of a resource. The module of the resource writes it and billing reads it, so that the module need not depend
 * on billing.
 */
export default class UsageEvent extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare meter: MeterKey

  /** Exact decimal, in the meter's unit. */
  @column()
  declare quantity: string

  /** Time of the usage. A daily sum has the start of the day (UTC). */
  @column.dateTime()
  declare at: DateTime

  /** Unique key, so that a repeated report does not count twice. */
  @column()
  declare source: string

  /** Type and id of the resource: `vault:7`. */
  @column()
  declare thing: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime
}
