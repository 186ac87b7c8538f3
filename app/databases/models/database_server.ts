import { encryptedColumn } from '#core/encrypted_column'
import type { Engine } from '#databases/engines'
import { ServerInstance } from '#instances/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

const bytes = (value: string | null) => (value === null ? null : Number(value))

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
  @column(encryptedColumn)
  declare secret: string | null

  @column()
  declare error: string | null

  /** Of all databases on it, in bytes, when they were measured last; the next three likewise. */
  @column({ consume: bytes })
  declare dataBytes: number | null

  @column({ consume: bytes })
  declare largestBytes: number | null

  /** What it may keep in memory. */
  @column({ consume: bytes })
  declare poolBytes: number | null

  /** Free on the disk of the instance. */
  @column({ consume: bytes })
  declare freeBytes: number | null

  @column.dateTime()
  declare seenAt: DateTime | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime({ autoCreate: true, autoUpdate: true })
  declare updatedAt: DateTime

  @belongsTo(() => ServerInstance)
  declare instance: BelongsTo<typeof ServerInstance>
}
