import { secret } from '#core/secret_column'
import type { Engine } from '#databases/engines'
import { ServerInstance } from '#instances/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** A server of databases that Berth has installed on an instance. */
export default class DatabaseServer extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare accountId: number

  @column()
  declare serverInstanceId: number

  @column()
  declare engine: Engine

  @column()
  declare status: 'installing' | 'running' | 'stopped' | 'failed'

  /** What it calls itself, as it was last seen. */
  @column()
  declare version: string | null

  /** What Berth signs in with, where the engine asks its administrators for a password. */
  @column(secret)
  declare secret: string | null

  @column()
  declare error: string | null

  @column.dateTime()
  declare seenAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @belongsTo(() => ServerInstance)
  declare instance: BelongsTo<typeof ServerInstance>
}
