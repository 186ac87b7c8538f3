import type { Engine } from '#databases/engines'
import { ServerInstance } from '#instances/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

export default class Database extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  /** Null: the database is on the managed server. */
  @column()
  declare serverInstanceId: number | null

  @column()
  declare engine: Engine

  @column()
  declare name: string

  @column()
  declare status: 'active' | 'deleted'

  /** Null until first measured. */
  @column({ consume: (value: string | null) => (value === null ? null : Number(value)) })
  declare sizeBytes: number | null

  @column()
  declare tables: number | null

  @column.dateTime()
  declare measuredAt: DateTime | null

  @column()
  declare backupNightly: boolean

  /** Maximum number of nightly backups to keep. The same maximum applies separately to backups before imports. */
  @column()
  declare backupKeep: number

  @column()
  declare backupDays: number

  @column()
  declare backupVaultId: number | null

  /**
   * When members were emailed that the nightly backups fail. Cleared when a nightly backup succeeds or nightly
   * backups are turned off.
   */
  @column.dateTime()
  declare backupFailureMailedAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @column.dateTime()
  declare deletedAt: DateTime | null

  @belongsTo(() => ServerInstance)
  declare instance: BelongsTo<typeof ServerInstance>

  static live(options?: ModelAdapterOptions) {
    return Database.query(options).whereNot('databases.status', 'deleted')
  }
}
