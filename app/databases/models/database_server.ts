import { encryptedColumn } from '#core/encrypted_column'
import type { Engine } from '#databases/engines'
import { ServerInstance } from '#instances/public'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

const bytes = (value: string | null) => (value === null ? null : Number(value))

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

  @column()
  declare version: string | null

  /** Password of Berth's administrator on the server. Only some engines require one. */
  @column(encryptedColumn)
  declare secret: string | null

  @column()
  declare error: string | null

  /** Sum of the sizes of all databases, when last measured. */
  @column({ consume: bytes })
  declare dataBytes: number | null

  @column({ consume: bytes })
  declare largestBytes: number | null

  @column({ consume: bytes })
  declare poolBytes: number | null

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
