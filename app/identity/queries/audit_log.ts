import { auditSubjectLabels } from '#core/audit/audit'
import { type AuditEntryRow, auditEntryView } from '#core/audit/entry'
import { listAuditActionsByText } from '#core/audit/audit_sentences'
import { displayTimeZone } from '#core/settings/regional_settings'
import {
  type SqlCondition,
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
} from '#core/list_page'
import { parseRecordId } from '#core/record_id'
import Person from '#identity/models/person'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Further words are ignored. */
const MAX_SEARCH_TERMS = 8

const spoken = `translate(action, '._-', '   ')`

function search(text: string): SqlCondition {
  const terms = text.split(/\s+/).slice(0, MAX_SEARCH_TERMS)
  const conditions = terms.map((word) => {
    const { sql, bindings } = searchAnywhereIn('actor_name', 'subject_label', 'ip', spoken)(word)
    const actions = listAuditActionsByText(word)
    if (actions.length === 0) return { sql, bindings }
    const list = actions.map(() => '?').join(', ')
    return { sql: `${sql} or action in (${list})`, bindings: [...bindings, ...actions] }
  })
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(' and '),
    bindings: conditions.flatMap(({ bindings }) => bindings),
  }
}

/**
 * Returns the time at which a day (`YYYY-MM-DD`) starts in the time zone of screens. `later` adds days. Returns
 * `null` if `day` is not a valid date of the years 2000 to 2099.
 */
function startOf(day: string, later = 0): string | null {
  if (!/^20\d{2}-\d{2}-\d{2}$/.test(day)) return null
  const date = DateTime.fromISO(day, { zone: displayTimeZone() })
  return date.isValid ? date.plus({ days: later }).toISO() : null
}

function at(sql: string, moment: string | null): SqlCondition | null {
  return moment ? { sql, bindings: [moment] } : null
}

export const auditLogListDefinition = (): ListDefinition => ({
  statuses: auditSubjectLabels(),
  statusColumn: 'subject_type',
  sorts: { when: 'id', who: 'lower(actor_name)' },
  order: '-when',
  search,
  filters: {
    from: (day) => at('created_at >= ?', startOf(day)),
    until: (day) => at('created_at < ?', startOf(day, 1)),
    person(value) {
      if (value === 'berth') return { sql: 'actor_id is null', bindings: [] }
      const id = parseRecordId(value)
      return id ? { sql: 'actor_id = ?', bindings: [id] } : null
    },
  },
})

export async function listAuditLog(list: ListRequest, accountId?: number) {
  const query = db.from('audit_entries').select('*')
  if (accountId !== undefined) query.where('account_id', accountId)
  const { rows, ...facts } = await queryListPage<AuditEntryRow>(
    query,
    list,
    auditLogListDefinition()
  )
  const subjects = Object.entries(auditSubjectLabels())
  // Customers can filter only by subjects that occur in their log, such as projects, but not by hosts or packages.
  const isOffered = ([subject]: [string, string]) =>
    accountId === undefined || facts.counts?.[subject] || list.status === subject
  return {
    ...facts,
    rows: rows.map(auditEntryView),
    statuses: Object.fromEntries(subjects.filter(isOffered)),
  }
}

export async function listAuditLogActors({ filters: { person } }: ListRequest) {
  const id = parseRecordId(person ?? '')
  const people = await Person.query()
    .where('audience', 'staff')
    .if(id, (query) => query.orWhere('id', id!))
    .orderBy('name')
    .limit(500)
  return [
    { value: 'berth', label: 'Berth' },
    ...people.map(({ id: of, name, email }) => ({
      value: String(of),
      label: `${name} <${email}>`,
    })),
  ]
}

export async function listLatestAuditEntries({
  accountId,
  limit,
}: {
  accountId: number
  limit: number
}) {
  const rows: AuditEntryRow[] = await db
    .from('audit_entries')
    .where('account_id', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  return rows.map(auditEntryView)
}
