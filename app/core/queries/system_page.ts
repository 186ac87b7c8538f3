import type { AttentionItem } from '#core/contracts/menu_and_dashboard'
import { allModules } from '#core/modules'
import {
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
  type StatusLabels,
} from '#core/list_page'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import type { ServiceTablesView } from '#core/page_props'
import { allSchedules } from '#core/schedules/schedules'
import { coreDependencies } from '#core/core_dependencies'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

export interface OperationRow {
  id: string
  title: string
  kind: string
  lane: string
  status: string
  subject: { type: string; id: string }
  /** Account name. `null`: Berth itself. */
  owner: string | null
  step: string | null
  attempts: number
  request_id: string | null
  /** Why the operation failed, or its last unexpected error. */
  trouble: string | null
  created_at: string
  ended_at: string | null
}

export interface ScheduleRow {
  /** For a schedule that runs on each of several machines, ends with `@` and the machine's id. */
  name: string
  label: string
  every: number
  started_at: string | null
  took_ms: number | null
  status: 'waiting' | 'running' | 'done' | 'failed'
  error: string | null
  failures: number
}

export interface AlertEntry {
  id: number
  name: string
  label: string
  severity: 'warning' | 'critical'
  status: string
  words: string
  began_at: string
  ended_at: string | null
}

const alertStatuses: StatusLabels = { firing: 'Firing', pending: 'Pending', resolved: 'Resolved' }

export const alertListDefinition: ListDefinition = {
  statuses: alertStatuses,
  sorts: {
    label: 'lower(label)',
    began: 'began_at',
    ended: 'ended_at',
    severity: `array_position(array['critical', 'warning'], severity)`,
  },
  order: '-began',
  ties: 'id desc',
  search: searchAnywhereIn('name', 'label', 'words'),
}

export async function listAlerts(list: ListRequest) {
  const { rows, ...facts } = await queryListPage<
    Omit<AlertEntry, 'began_at' | 'ended_at'> & { began_at: Date; ended_at: Date | null }
  >(db.from('alerts').select('*'), list, alertListDefinition)
  return {
    ...facts,
    rows: rows.map(({ id, name, label, severity, status, words, ...row }): AlertEntry => ({
      id,
      name,
      label,
      severity,
      status,
      words,
      began_at: row.began_at.toISOString(),
      ended_at: row.ended_at?.toISOString() ?? null,
    })),
    statuses: alertStatuses,
  }
}

const workStatuses: StatusLabels = {
  stuck: 'Stuck',
  running: 'Running',
  queued: 'Queued',
  failed: 'Failed',
}

const scheduleStatuses: StatusLabels = {
  failed: 'Failed',
  running: 'Running',
  done: 'Done',
  waiting: 'Waiting',
}

function statusOrderSql(statuses: StatusLabels): string {
  const keys = Object.keys(statuses).map((key) => `'${key}'`)
  return `array_position(array[${keys.join(', ')}], status::text)`
}

const OWNER_COLUMN = 'operations.account_id'

export function operationListDefinition(): ListDefinition {
  const { customers } = coreDependencies
  return {
    statuses: workStatuses,
    sorts: {
      title: 'lower(title)',
      ...(customers && { owner: `lower(${customers.name(OWNER_COLUMN)})` }),
      begun: 'created_at',
      status: statusOrderSql(workStatuses),
    },
    order: 'status',
    ties: 'created_at desc',
    search: searchAnywhereIn(
      'title',
      'kind',
      'trouble',
      'error',
      'request_id',
      ...(customers ? [customers.words(OWNER_COLUMN)] : [])
    ),
  }
}

function workWithOwners() {
  const query = Operation.query().select('*')
  if (coreDependencies.customers)
    query.select(db.raw(`${coreDependencies.customers.name(OWNER_COLUMN)} as owner`))
  return query
}

const aDayAgo = () => DateTime.utc().minus({ days: 1 }).toSQL()!

/**
 * Operations of an account that a person's request started. If they fail, the dashboard only counts them, because
 * customers see the reasons on their pages.
 */
const CUSTOMER_FAILURE_SQL =
  'operations.account_id is not null and operations.request_id is not null'

export function failuresOnDashboard() {
  return Operation.query()
    .where('status', 'failed')
    .where('endedAt', '>', aDayAgo())
    .whereNull('dismissedAt')
}

/** Counts the failures of the last day that are not dismissed. The dashboard lists only some of them. */
export async function countFailuresOnDashboard(): Promise<number> {
  const [{ $extras: counts }] = await failuresOnDashboard().count('* as total')
  return Number(counts.total)
}

export async function listCustomerFailures(): Promise<AttentionItem[]> {
  const [{ $extras: counts }] = await failuresOnDashboard()
    .whereRaw(CUSTOMER_FAILURE_SQL)
    .select(db.raw('count(*)::int as total, count(distinct account_id)::int as accounts'))
  const { total, accounts } = counts as { total: number; accounts: number }
  if (total === 0) return []
  return [
    {
      title: `${total} ${total === 1 ? 'operation of a customer' : 'operations of customers'} failed`,
      detail: `Of ${accounts} ${accounts === 1 ? 'customer' : 'customers'} in the last 24 hours. Customers see the reasons on their pages.`,
      href: '/admin/system?tab=work&status=failed',
      tone: 'wait',
    },
  ]
}

/**
 * Lists operations that are stuck, and those that failed within the last day, are not dismissed and do not match
 * `CUSTOMER_FAILURE_SQL`. Newest first.
 */
export async function listRecentOperationFailures(limit: number): Promise<AttentionItem[]> {
  const rows = await workWithOwners()
    .where((shown) =>
      shown
        .where('status', 'stuck')
        .orWhere((failed) =>
          failed
            .where('status', 'failed')
            .where('endedAt', '>', aDayAgo())
            .whereNull('dismissedAt')
            .whereRaw(`not (${CUSTOMER_FAILURE_SQL})`)
        )
    )
    .orderBy('createdAt', 'desc')
    .limit(limit)
  return rows.map(workRow).map(({ title, status, owner, trouble }) => ({
    title: `${title}: ${status}`,
    detail: [owner, trouble].filter(Boolean).join(' · ') || null,
    href: `/admin/system?tab=work&status=${status}&search=${encodeURIComponent(title)}`,
    tone: 'loss',
  }))
}

export async function listOpenAndFailedOperations(list: ListRequest) {
  const query = workWithOwners().where((shown) =>
    shown
      .whereIn('status', UNFINISHED_STATUSES)
      .orWhere((failed) => failed.where('status', 'failed').where('endedAt', '>', aDayAgo()))
  )
  const { rows, ...facts } = await queryListPage<Operation>(query, list, operationListDefinition())
  return { ...facts, rows: rows.map(workRow), statuses: workStatuses }
}

export function buildStuckOperationsCountQuery() {
  return Operation.query().where('status', 'stuck').count('* as total')
}

function workRow(operation: Operation): OperationRow {
  const { accountId, steps, status } = operation
  const step = steps.find((each) => each.status === 'running' || each.status === 'failed')
  return {
    id: operation.id,
    title: operation.title,
    kind: operation.kind,
    lane: operation.queue,
    status,
    subject: { type: operation.subjectType, id: operation.subjectId },
    owner: accountId === null ? null : (operation.$extras.owner ?? `Account ${accountId}`),
    step: step ? [step.label, status === 'running' && step.note].filter(Boolean).join(': ') : null,
    attempts: operation.attempts,
    request_id: operation.requestId,
    trouble: status === 'failed' ? operation.error : operation.trouble,
    created_at: operation.createdAt.toISO()!,
    ended_at: operation.endedAt?.toISO() ?? null,
  }
}

export const scheduleListDefinition: ListDefinition = {
  statuses: scheduleStatuses,
  sorts: {
    label: 'lower(label)',
    every: 'every',
    last: 'started_at',
    took: 'took_ms',
    status: statusOrderSql(scheduleStatuses),
  },
  ties: 'name',
  search: searchAnywhereIn('name', 'label', 'error'),
}

const SCHEDULES_SQL = `
  select run.started_at, run.took_ms, run.error, known.every, coalesce(run.failures, 0) as failures,
    known.name || coalesce('@' || machine.id, '') as name,
    known.label || coalesce(' (' || machine.name || ')', '') as label,
    case when run.name is null then 'waiting' when run.ended_at is null then 'running'
      when run.error is null then 'done' else 'failed' end as status
  from jsonb_to_recordset(?) as known (name text, label text, every float8, everywhere boolean)
  left join schedules run
    on run.name = known.name and (run.machine_id is not null) = coalesce(known.everywhere, false)
  left join (select id, name from machines where (select count(*) from machines) > 1) machine
    on machine.id = run.machine_id`

export async function listSchedules(list: ListRequest) {
  const known = allSchedules().map(({ name, label, every, everywhere }) => ({
    name,
    label,
    every,
    everywhere,
  }))
  const query = db
    .from('shown')
    .with('shown', db.rawQuery(SCHEDULES_SQL, [JSON.stringify(known)]))
    .select('*')
  const { rows, ...facts } = await queryListPage<
    Omit<ScheduleRow, 'started_at'> & { started_at: Date | null }
  >(query, list, scheduleListDefinition)
  return {
    ...facts,
    rows: rows.map((row): ScheduleRow => ({
      ...row,
      started_at: row.started_at?.toISOString() ?? null,
    })),
    statuses: scheduleStatuses,
  }
}

export function loadServiceTables(): Promise<ServiceTablesView[]> {
  const services = allModules().flatMap(({ tables }) => tables ?? [])
  return Promise.all(services.map(async ({ label, sizes }) => ({ label, tables: await sizes() })))
}
