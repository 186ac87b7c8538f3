import type { Engine } from '#databases/engines'
import { ServerInstance } from '#instances/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** A database of a customer, as its server had it when it was last looked at. */
export default class Database extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  /** Null: on the managed server. */
  @column()
  declare serverInstanceId: number | null

  @column()
  declare engine: Engine

  /** As the server calls it. */
  @column()
  declare name: string

  @column()
  declare status: 'active' | 'deleted'

  /** Bytes; null until it was measured. */
  @column({ consume: (value: string | null) => (value === null ? null : Number(value)) })
  declare sizeBytes: number | null

  /** Tables or collections. */
  @column()
  declare tables: number | null

  @column.dateTime()
  declare measuredAt: DateTime | null

  @column()
  declare backupNightly: boolean

  /** How many copies by night are kept. */
  @column()
  declare backupKeep: number

  /** Days that a copy is kept. */
  @column()
  declare backupDays: number

  /** The vault that copies go into as well; null for none. */
  @column()
  declare backupVaultId: number | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @column.dateTime()
  declare deletedAt: DateTime | null

  @belongsTo(() => ServerInstance)
  declare instance: BelongsTo<typeof ServerInstance>

  /** All that are not deleted. */
  static live(options?: ModelAdapterOptions) {
    return Database.query(options).whereNot('databases.status', 'deleted')
  }
}
