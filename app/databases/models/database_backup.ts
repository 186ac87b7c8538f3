import Database from '#databases/models/database'
import { BaseModel, belongsTo, column } from '@adonisjs/lucid/orm'
import type { ModelAdapterOptions } from '@adonisjs/lucid/types/model'
import type { BelongsTo } from '@adonisjs/lucid/types/relations'
import type { DateTime } from 'luxon'

/** What was in a copy when it was made. */
export interface DatabaseContentCounts {
  tables: number
  rows: number
  views: number
  routines: number
  triggers: number
  events: number
}

/** A copy of a database, kept beside its server. */
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

  /** Its name in the folder of copies. */
  @column()
  declare file: string | null

  /** `sql.gz` or `mongodump.zip`. */
  @column()
  declare format: string

  @column()
  declare engineVersion: string | null

  /** Bytes. */
  @column({ consume: (value: string | null) => (value === null ? null : Number(value)) })
  declare sizeBytes: number | null

  /** SHA-256 of the file, hexadecimal. */
  @column()
  declare digest: string | null

  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare contents: DatabaseContentCounts | null

  /**
   * The objects that this copy lacks or has only in part, one sentence each. Null for copies made before this
   * column existed.
   */
  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare notes: string[] | null

  @column()
  declare error: string | null

  /** The vault that it goes into as well. */
  @column()
  declare elsewhereVaultId: number | null

  /** The name of the object there, once it was begun to be sent. */
  @column()
  declare elsewhere: string | null

  /** When it was there whole. */
  @column.dateTime()
  declare sentAt: DateTime | null

  /** Why it could not be sent when it was tried last. */
  @column()
  declare elsewhereError: string | null

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare finishedAt: DateTime | null

  @belongsTo(() => Database)
  declare database: BelongsTo<typeof Database>

  /** All that are not deleted. */
  static live(options?: ModelAdapterOptions) {
    return DatabaseBackup.query(options).whereNot('database_backups.status', 'deleted')
  }
}
