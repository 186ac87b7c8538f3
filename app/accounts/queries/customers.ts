import type { CustomerSummary } from '#core/contracts/customer_summary'
import { accountStatuses, type AccountStatus } from '#core/contracts/actor'
import {
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
} from '#core/list_page'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import { listLatestAuditEntries } from '#identity/public_effects'
import Account from '#accounts/models/account'
import Member from '#accounts/models/member'
import Note from '#accounts/models/note'
import {
  customerSearchTextSql,
  customerSearchCondition,
} from '#accounts/queries/customer_search_sql'
import { loadCustomersById, OWNER_EMAIL_SQL } from '#accounts/queries/customer_summaries'
import { listAccountResources } from '#accounts/account_resources'
import type { CustomerPage, CustomerRow } from '#accounts/transformers/page_props'
import db from '@adonisjs/lucid/services/db'

/**
 * Searches in the account's name, and in the names and email addresses of its members. Returns at most `limit`
 * matches, newest accounts first.
 */
export async function searchCustomers(text: string, limit: number): Promise<CustomerSummary[]> {
  const { sql, bindings } = customerSearchCondition('accounts.id')(text)
  const rows = await db
    .from('accounts')
    .whereRaw(`(${sql})`, bindings)
    .orderBy('id', 'desc')
    .limit(limit)
    .select('id')
  const customers = await loadCustomersById(rows.map(({ id }) => id))
  return rows.flatMap(({ id }) => customers.get(id) ?? [])
}

export const customerListDefinition: ListDefinition = {
  statuses: accountStatuses,
  sorts: { name: 'lower(name)', email: 'email', members: 'members', status: 'status', since: 'id' },
  search(text) {
    const { sql, bindings } = searchAnywhereIn(customerSearchTextSql('found.id'))(text)
    const id = parseRecordId(text)
    return id ? { sql: `${sql} or id = ?`, bindings: [...bindings, id] } : { sql, bindings }
  },
}

export async function listCustomers(list: ListRequest) {
  const members = '(select count(*) from members where members.account_id = accounts.id)'
  const accounts = db
    .from('accounts')
    .select('accounts.*', db.raw(`${OWNER_EMAIL_SQL} as email`), db.raw(`${members} as members`))
    .as('found')
  const { rows, ...facts } = await queryListPage<Record<string, unknown>>(
    db.from(accounts),
    list,
    customerListDefinition
  )
  return {
    ...facts,
    rows: rows.map((row): CustomerRow => ({
      id: Number(row.id),
      name: String(row.name),
      email: String(row.email),
      status: row.status as AccountStatus,
      members: Number(row.members),
      since: (row.created_at as Date).toISOString(),
    })),
    statuses: accountStatuses,
  }
}

/** @throws 404 if the account does not exist */
export async function getCustomer(id: unknown): Promise<Account> {
  const key = parseRecordId(id)
  const account = key ? await Account.find(key) : null
  if (!account) throw notFound('customer')
  return account
}

export async function loadCustomerPage(account: Account): Promise<CustomerPage> {
  const { id: accountId } = account
  const [customer, members, seen, resources, notes, log] = await Promise.all([
    loadCustomersById([accountId]),
    Member.query().where({ accountId }).preload('person').orderBy('createdAt').orderBy('personId'),
    db
      .from('devices')
      .join('members', 'members.person_id', 'devices.person_id')
      .where('members.account_id', accountId)
      .groupBy('devices.person_id')
      .select('devices.person_id')
      .max('devices.seen_at as seen_at'),
    listAccountResources(accountId),
    Note.query().where({ accountId }).preload('author').orderBy('id', 'desc').limit(100),
    listLatestAuditEntries({ accountId, limit: 50 }),
  ])
  const seenAt = new Map<number, Date>(seen.map((row) => [row.person_id, row.seen_at]))
  return {
    customer: {
      ...customer.get(accountId)!,
      status: account.status,
      status_reason: account.statusReason,
      since: account.createdAt.toISO()!,
      suspended_at: account.suspendedAt?.toISO() ?? null,
    },
    members: members.map(({ person, role }) => ({
      id: person.id,
      name: person.name,
      email: person.email,
      role,
      disabled: person.disabledAt !== null,
      seen_at: seenAt.get(person.id)?.toISOString() ?? null,
    })),
    things: resources,
    notes: notes.map((note) => ({
      id: note.id,
      author: note.author?.name ?? 'Former user',
      text: note.text,
      at: note.createdAt.toISO()!,
    })),
    log,
  }
}
