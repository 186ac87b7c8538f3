import { BaseModel, column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'

export const backupKinds = {
  full: 'Full backup',
  point: 'Point in time',
  instance: 'Instance',
  drill: 'Restore test',
} as const
export type BackupKind = keyof typeof backupKinds

export const backupStatuses = { running: 'Running', done: 'Done', failed: 'Failed' } as const
export type BackupStatus = keyof typeof backupStatuses

/** One backup, or one try of what was backed up, and what became of it. */
export default class Backup extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  @column()
  declare kind: BackupKind

  /** Of an instance: its name in Incus. */
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

  /** Everything that was acknowledged before is in it. */
  @column.dateTime()
  declare at: DateTime | null

  /** Read; new at the target. */
  @column({ consume: numberOrNull })
  declare bytes: number | null

  @column({ consume: numberOrNull })
  declare added: number | null

  /** What a drill compared. */
  @column({ prepare: (value: unknown) => (value ? JSON.stringify(value) : null) })
  declare facts: RestoreTestResult | null

  /** How far it is, in words and as a share. */
  @column()
  declare note: string | null

  @column()
  declare share: number | null

  @column()
  declare error: string | null
}

export interface RestoreTestResult {
  tables: number
  rows: number
  objects: number
  secrets: number
  notes: string[]
}

function numberOrNull(value: string | number | null): number | null {
  return value === null ? null : Number(value)
}
