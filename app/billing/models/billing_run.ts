import type { DateTime } from 'luxon'
import { BaseModel, column } from '@adonisjs/lucid/orm'

/** Whom a run left out, and why. */
export interface SkippedAccount {
  account_id: number
  name: string
  /** Dollars that wait, exact; below 0 for a credit. */
  waits: string
  reason: string
}

/** A run of the billing; what it made are the bills that name it (decision 0035). */
export default class BillingRun extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  /** Of Berth's own runs, ISO: the day on which they made bills. */
  @column()
  declare day: string | null

  /** Of a run that staff started. */
  @column()
  declare operationId: string | null

  @column()
  declare startedBy: number | null

  @column()
  declare status: 'running' | 'done' | 'failed'

  @column()
  declare error: string | null

  @column({ prepare: (value: unknown) => JSON.stringify(value) })
  declare skipped: SkippedAccount[]

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare endedAt: DateTime | null
}
