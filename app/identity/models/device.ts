import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

/** A signed-in browser. Deleting the row ends the browser's session. */
export default class Device extends BaseModel {
  @column({ isPrimary: true })
  declare id: string

  @column()
  declare personId: number

  @column()
  declare userAgent: string

  @column()
  declare ip: string

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare seenAt: DateTime
}
