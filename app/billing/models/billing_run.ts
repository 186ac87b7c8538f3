import type { SkippedAccount } from '#billing/skipped_account'
import type { DateTime } from 'luxon'
import { BaseModel, column } from '@adonisjs/lucid/orm'

export default class BillingRun extends BaseModel {
  @column({ isPrimary: true })
  declare id: number

  /** Day of an automatic run. `null`: staff started the run. */
  @column()
  declare day: string | null

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
