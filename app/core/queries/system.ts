import Operation, { OPEN } from '#core/models/operation'
import { allSchedules, type LastRun, type Schedule } from '#core/schedules/schedules'
import { services } from '#core/services'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Rows of work that one page shows at most. */
const MOST = 200

export interface WorkRow {
  id: string
  title: string
  kind: string
  lane: string
  status: string
  subject: { type: string; id: string }
  /** Whose it is; null for Berth's own. */
  owner: string | null
  /** The step that it is at, with what it says. */
  step: string | null
  attempts: number
  /** What broke (stuck) or why it failed. */
  trouble: string | null
  created_at: string
  ended_at: string | null
}

export interface ScheduleRow {
  name: string
  label: string
  /** Seconds. */
  every: number
  started_at: string | null
  /** Milliseconds of the last run that ended. */
  took_ms: number | null
  status: 'waiting' | 'running' | 'done' | 'failed'
  error: string | null
  failures: number
}

export interface SystemPage {
  work: WorkRow[]
  schedules: ScheduleRow[]
}

/** Work that is open or failed within a day, what needs somebody first; and all schedules. */
export async function systemPage(): Promise<SystemPage> {
  const operations = await Operation.query()
    .whereIn('status', OPEN)
    .orWhere((failed) =>
      failed
        .where('status', 'failed')
        .where('endedAt', '>', DateTime.utc().minus({ days: 1 }).toSQL()!)
    )
    .orderByRaw(`array_position(array['stuck', 'running', 'queued', 'failed'], status::text)`)
    .orderBy('createdAt', 'desc')
    .limit(MOST)
  const ids = new Set(operations.flatMap(({ accountId }) => accountId ?? []))
  const names = (await services.namesOf?.([...ids])) ?? new Map<number, string>()
  return {
    work: operations.map((operation) => workRow(operation, names)),
    schedules: await scheduleRows(),
  }
}

/** How much work waits for staff. */
export async function countStuck(): Promise<number> {
  const row = await Operation.query().where('status', 'stuck').count('* as total').first()
  return Number(row?.$extras.total ?? 0)
}

function workRow(operation: Operation, names: Map<number, string>): WorkRow {
  const { accountId, steps, status } = operation
  const step = steps.find((each) => each.status === 'running' || each.status === 'failed')
  return {
    id: operation.id,
    title: operation.title,
    kind: operation.kind,
    lane: operation.lane,
    status,
    subject: { type: operation.subjectType, id: operation.subjectId },
    owner: accountId === null ? null : (names.get(accountId) ?? `Account ${accountId}`),
    step: step ? [step.label, status === 'running' && step.note].filter(Boolean).join(': ') : null,
    attempts: operation.attempts,
    trouble: status === 'failed' ? operation.error : operation.trouble,
    created_at: operation.createdAt.toISO()!,
    ended_at: operation.endedAt?.toISO() ?? null,
  }
}

interface Shown {
  schedule: Schedule
  last: LastRun | null
}

async function scheduleRows(): Promise<ScheduleRow[]> {
  const runs: LastRun[] = await db.from('schedules').select('*')
  const machines: { id: string; name: string }[] = await db.from('machines').select('id', 'name')
  const nameOf = new Map(machines.map(({ id, name }) => [id, name]))
  const shown = allSchedules().flatMap((schedule): Shown[] => {
    const { name, everywhere = false } = schedule
    const last = runs.filter((run) => run.name === name && everywhere === Boolean(run.machine_id))
    return last.length ? last.map((run) => ({ schedule, last: run })) : [{ schedule, last: null }]
  })
  return shown.map(({ schedule: { name, label, every }, last }) => {
    const ended = last?.error ? 'failed' : 'done'
    const machine = machines.length > 1 && last?.machine_id
    return {
      name: machine ? `${name}@${machine}` : name,
      label: machine ? `${label} (${nameOf.get(machine) ?? machine})` : label,
      every,
      started_at: last?.started_at.toISOString() ?? null,
      took_ms: last?.took_ms ?? null,
      status: !last ? 'waiting' : last.ended_at ? ended : 'running',
      error: last?.error ?? null,
      failures: last?.failures ?? 0,
    }
  })
}
