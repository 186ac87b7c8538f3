import Database from '#databases/models/database'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

export interface DatabaseContentCounts {
  tables: number
  rows: number
  views: number
  routines: number
  triggers: number
  events: number
}

export default class DatabaseBackup extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare databaseId: number

  @column()
  declare accountId: number

  @column()
  declare reason: 'nightly' | 'asked' | 'before_drop' | 'before_import'

  @column()
  declare status: 'running' | 'done' | 'failed' | 'deleted'

  @column()
  declare file: string | null

  /** File name extension: `sql.gz` or `mongodump.zip`. */
  @column()
  declare format: string

  @column()
  declare engineVersion: string | null

  @column({ consume: (value: string | null) => (value === null ? null : Number(value)) })
  declare sizeBytes: number | null

  /** SHA-256 of the file, hexadecimal. */
  @column()
  declare digest: string | null

  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare contents: DatabaseContentCounts | null

  /**
   * A sentence for each object that is missing or incomplete in the backup. Null: the backup is running or has
   * failed, or it is older than this column.
   */
  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare notes: string[] | null

  @column()
  declare error: string | null

  /** Id of the vault (bucket) that receives a copy. */
  @column()
  declare elsewhereVaultId: number | null

  /** Object name in the vault. Set when the transfer starts. */
  @column()
  declare elsewhere: string | null

  /** When the copy was complete. Null: it is not. */
  @column.dateTime()
  declare sentAt: DateTime | null

  @column()
  declare elsewhereError: string | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare finishedAt: DateTime | null

  @belongsTo(() => Database)
  declare database: BelongsTo<typeof Database>

  static live(options?: ModelAdapterOptions) {
    return DatabaseBackup.query(options).whereNot('database_backups.status', 'deleted')
  }
}
