import type { OperationQueue } from '#core/operations/queues'
import { DateTime } from 'luxon'
import { BaseModel, column } from '@adonisjs/lucid/orm'

/** `stuck`: something that no step foresaw went wrong again and again; staff look at it. */
export type OperationStatus = 'queued' | 'running' | 'stuck' | 'done' | 'failed'

/** Statuses of work that is not over. */
export const UNFINISHED_STATUSES: OperationStatus[] = ['queued', 'running', 'stuck']

export interface StepState {
  key: string
  label: string
  status: 'waiting' | 'running' | 'done' | 'failed'
  /** ISO times. */
  startedAt?: string
  endedAt?: string
  /** What is going on within the step, in words. */
  note?: string
  /** 0 to 1, where it can be told. */
  progress?: number
}

const json = {
  prepare: (value: unknown) => (value === undefined ? null : JSON.stringify(value)),
}

/** Long work (product, "Work"). */
export default class Operation extends BaseModel {
  @column({ isPrimary: true })
  declare id: string

  @column()
  declare kind: string

  /** Of its kind, when it was begun or last taken over from an earlier one. */
  @column()
  declare version: number

  @column({ columnName: 'lane' })
  declare queue: OperationQueue

  /** What it says on pages: "Creating web-1". */
  @column()
  declare title: string

  /** The person it is shown to; null for Berth's own work. */
  @column()
  declare accountId: number | null

  @column()
  declare subjectType: string

  @column()
  declare subjectId: string

  @column(json)
  declare input: Record<string, unknown>

  /** What steps have found out and later ones need; survives restarts. */
  @column({ prepare: json.prepare, columnName: 'memory' })
  declare state: Record<string, unknown>

  @column(json)
  declare steps: StepState[]

  @column()
  declare status: OperationStatus

  /** Whether the person it is for can end it, or has asked to. */
  @column()
  declare cancel: 'no' | 'possible' | 'asked'

  @column(json)
  declare result: Record<string, unknown> | null

  @column()
  declare error: string | null

  /** How often in a row it broke in a way that no step foresaw. */
  @column()
  declare attempts: number

  /** What broke last, for staff. */
  @column()
  declare trouble: string | null

  /** The number of the request that began it, and its span where that is traced; null for Berth's own. */
  @column()
  declare requestId: string | null

  @column()
  declare requestSpan: string | null

  /** The control machine that alone can do it; null while any may try. */
  @column()
  declare machineId: string | null

  /** No worker takes it up before. */
  @column.dateTime()
  declare dueAt: DateTime

  @column.dateTime({ autoCreate: true })
  declare createdAt: DateTime

  @column.dateTime()
  declare startedAt: DateTime | null

  @column.dateTime()
  declare endedAt: DateTime | null

  /** What pages get of it. */
  describe() {
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

export type OperationView = ReturnType<Operation['describe']>
