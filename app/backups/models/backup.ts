import type { BackupKind, BackupStatus, RestoreTestResult } from '#backups/statuses'
import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export default class Backup extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare kind: BackupKind

  /** The backed-up instance's name in Incus. Null for backups of the whole installation. */
  @column()
  declare systemId: string | null

  @column()
  declare serverInstanceId: number | null

  @column()
  declare status: BackupStatus

  @column()
  declare operationId: string | null

  @column.dateTime()
  declare startedAt: DateTime

  @column.dateTime()
  declare endedAt: DateTime | null

  /** The backup contains every write acknowledged before this time. */
  @column.dateTime()
  declare at: DateTime | null

  /** Number of bytes read from the source. `added`: number of new bytes in the storage target. */
  @column({ consume: numberOrNull })
  declare bytes: number | null

  @column({ consume: numberOrNull })
  declare added: number | null

  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare facts: RestoreTestResult | null

  /** Progress: `note` is a text, `share` the completed fraction from 0 to 1. */
  @column()
  declare note: string | null

  @column()
  declare share: number | null

  @column()
  declare error: string | null
}

function numberOrNull(value: string | number | null): number | null {
  return value === null ? null : Number(value)
}
