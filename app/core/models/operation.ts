import type { OperationStatus, OperationView, StepState } from '#core/contracts/operation_view'
import type { OperationQueue } from '#core/operations/queues'
import { DateTime } from 'luxon'
import { BaseModel, column } from '@adonisjs/lucid/orm'

export const UNFINISHED_STATUSES: OperationStatus[] = ['queued', 'running', 'stuck']

const json = {
  prepare: (value: unknown) => (value === undefined ? null : JSON.stringify(value)),
}

export default class Operation extends BaseModel {
  @column({ isPrimary: true })
  declare id: string

  @column()
  declare kind: string

  /** Version of the operation's kind when the operation was started or last upgraded. */
  @column()
  declare version: number

  @column({ columnName: 'lane' })
  declare queue: OperationQueue

  @column()
  declare title: string

  /** The account whose members see the operation. `null`: operations of Berth itself. */
  @column()
  declare accountId: number | null

  @column()
  declare subjectType: string

  @column()
  declare subjectId: string

  @column(json)
  declare input: Record<string, unknown>

  /** Values that a step saved for itself or for later steps. */
  @column({ prepare: json.prepare, columnName: 'memory' })
  declare state: Record<string, unknown>

  @column(json)
  declare steps: StepState[]

  @column()
  declare status: OperationStatus

  @column()
  declare cancel: OperationView['cancel']

  @column(json)
  declare result: Record<string, unknown> | null

  @column()
  declare error: string | null

  @column()
  declare attempts: number

  /**
   * Number of runs of the current step that have not reported an end. Each of them stopped because its worker died,
   * except a run that is in progress.
   */
  @column()
  declare stepRuns: number

  @column()
  declare trouble: string | null

  /**
   * Trace id of the person's request that started the operation, directly or through another operation, and the id of
   * its span if traced. `null`: a schedule or a command started it.
   */
  @column()
  declare requestId: string | null

  @column()
  declare requestSpan: string | null

  /** Id of the only control machine that can run the operation. `null`: any can. */
  @column()
  declare machineId: string | null

  @column.dateTime()
  declare dueAt: DateTime

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare startedAt: DateTime | null

  @column.dateTime()
  declare endedAt: DateTime | null

  @column.dateTime()
  declare dismissedAt: DateTime | null

  /**
   * The last lines that the operation's commands printed, oldest first. May contain secrets. Removed when the
   * operation is done.
   */
  get output(): string[] {
    const { output } = this.state
    return Array.isArray(output) ? (output as string[]) : []
  }

  describe(): OperationView {
    return {
      id: this.id,
      kind: this.kind,
      title: this.title,
      subject: { type: this.subjectType, id: this.subjectId },
      status: this.status,
      cancel: this.cancel,
      steps: this.steps,
      result: this.result,
      error: this.error,
      createdAt: this.createdAt?.toISO() ?? null,
      endedAt: this.endedAt?.toISO() ?? null,
    }
  }
}
