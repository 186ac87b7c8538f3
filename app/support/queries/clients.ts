import { customerSearchTextSql, Account, listAccountResources } from '#accounts/public'
import {
  searchAnywhereIn,
  type ListDefinition,
  queryListPage,
  type ListRequest,
} from '#core/list_page'
import { parseRecordId } from '#core/record_id'
import Operation from '#core/models/operation'
import { Person } from '#identity/public'
import Conversation from '#support/models/conversation'
import Note from '#support/models/note'
import {
  conversationStatuses,
  type ConversationStatus,
  type ConversationSide,
} from '#support/statuses'
import type {
  ClientDetails,
  ClientList,
  ClientRow,
  MessageSearchResult,
  WaitTimes,
} from '#support/transformers/page_props'
import db from '@adonisjs/lucid/services/db'

/**
 * A search matches the person's id, name and email address, and the name and members of the account
 * with the same id.
 */
export const clientListDefinition: ListDefinition = {
  statuses: conversationStatuses,
  ties: 'last_at desc, client_id desc',
  search(text) {
    const { sql, bindings } = searchAnywhereIn(
      'name',
      'email',
      customerSearchTextSql('found.client_id')
    )(text)
    const id = parseRecordId(text)
    return id ? { sql: `${sql} or client_id = ?`, bindings: [...bindings, id] } : { sql, bindings }
  },
}

export async function listClients(list: ListRequest): Promise<ClientList> {
  const unread = `(select count(*) from support_messages m where m.client_id = c.client_id
    and m.side = 'client' and m.sequence > c.staff_read)`
  const last = `(select left(coalesce(nullif(m.text, ''), 'Attachment'), 120)
    from support_messages m where m.client_id = c.client_id and m.sequence = c.last_sequence)`
  const clients = db
    .from('support_conversations as c')
    .join('people as p', 'p.id', 'c.client_id')
    .leftJoin('people as s', 's.id', 'c.assigned_to')
    .select('c.*', 'p.name', 'p.email', 's.name as assignee')
    .select(db.raw(`${unread} as unread`), db.raw(`${last} as last_text`))
    .as('found')
  const [{ rows, page, length, count, counts }, waits] = await Promise.all([
    queryListPage<Record<string, unknown>>(db.from(clients), list, clientListDefinition),
    waitingClients(),
  ])
  const clientStatus = conversationStatuses
  return {
    page,
    length,
    count,
    counts: counts ?? {},
    clients: rows.map(clientRow),
    clientStatus,
    waits,
  }
}

function clientRow(row: Record<string, unknown>): ClientRow {
  return {
    client_id: Number(row.client_id),
    name: String(row.name),
    email: String(row.email),
    status: row.status as ConversationStatus,
    assigned_to: row.assigned_to
      ? { id: Number(row.assigned_to), name: String(row.assignee) }
      : null,
    unread: Number(row.unread),
    waiting_since: (row.waiting_since as Date | null)?.toISOString() ?? null,
    last_at: (row.last_at as Date).toISOString(),
    last_text: String(row.last_text ?? ''),
  }
}

async function waitingClients(): Promise<WaitTimes> {
  const [now, before] = await Promise.all([
    db
      .from('support_conversations')
      .whereNotNull('waiting_since')
      .count('* as waiting')
      .min('waiting_since as longest_since')
      .first(),
    db
      .from('support_messages')
      .whereNotNull('waited')
      .whereRaw(`created_at > now() - interval '7 days'`)
      .count('* as answers')
      .select(db.raw('percentile_cont(0.5) within group (order by waited) as median'))
      .first(),
  ])
  return {
    waiting: Number(now.waiting),
    longest_since: (now.longest_since as Date | null)?.toISOString() ?? null,
    median_seconds: before.median === null ? null : Math.round(Number(before.median)),
    answers: Number(before.answers),
  }
}

export async function loadClientDetails(clientId: number): Promise<ClientDetails> {
  const person = await Person.findOrFail(clientId)
  const [conversation, memberships, notes] = await Promise.all([
    Conversation.query().where({ clientId }).preload('assignee').first(),
    db
      .from('members')
      .where('person_id', clientId)
      .orderByRaw('account_id = person_id desc, created_at')
      .select('account_id', 'role'),
    Note.query().where({ clientId }).preload('author').orderBy('id', 'desc').limit(100),
  ])
  const ids: number[] = memberships.map((row) => row.account_id)
  const [accounts, failures, resources] = await Promise.all([
    Account.query().whereIn('id', ids),
    Operation.query()
      .whereIn('accountId', ids)
      .whereIn('status', ['failed', 'stuck'])
      .orderBy('createdAt', 'desc')
      .limit(5),
    Promise.all(ids.map((id) => listAccountResources(id))),
  ])
  const byId = new Map(accounts.map((account) => [account.id, account]))
  const assignee = conversation?.assignee
  return {
    client_id: clientId,
    name: person.name,
    email: person.email,
    since: person.createdAt.toISO()!,
    accounts: memberships.flatMap(({ account_id: id, role }, index) => {
      const account = byId.get(id)
      if (!account) return []
      const { name, status } = account
      const some = resources[index].filter((kind) => kind.things.length > 0)
      return [{ id: account.id, name, status, role: String(role), things: some }]
    }),
    failures: failures.map((operation) => ({
      id: operation.id,
      title: operation.title,
      error: operation.error ?? '',
      at: operation.createdAt.toISO()!,
      subject: { type: operation.subjectType, id: operation.subjectId },
    })),
    status: conversation?.status ?? 'open',
    assigned_to: assignee ? { id: assignee.id, name: assignee.name } : null,
    waiting_since: conversation?.waitingSince?.toISO() ?? null,
    notes: notes.map((note) => ({
      id: note.id,
      author: note.author?.name ?? 'Former user',
      text: note.text,
      at: note.createdAt.toISO()!,
    })),
  }
}

export async function listStaffNames(): Promise<{ id: number; name: string }[]> {
  const people = await Person.query()
    .where('audience', 'staff')
    .whereNull('disabledAt')
    .orderBy('name')
  return people.map(({ id, name }) => ({ id, name }))
}

/** Finds messages, newest first, at most 50. Each search term must match the beginning of a word. */
export async function searchMessages(text: string): Promise<MessageSearchResult[]> {
  const terms = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  if (terms.length === 0) return []
  const query = terms.map((word) => `${word}:*`).join(' & ')
  const rows = await db
    .from('support_messages as m')
    .join('people as p', 'p.id', 'm.client_id')
    .whereRaw(`to_tsvector('simple', m.text) @@ to_tsquery('simple', ?)`, [query])
    .orderBy('m.id', 'desc')
    .limit(50)
    .select('m.client_id', 'p.name', 'm.sequence', 'm.side', 'm.text', 'm.created_at')
  return rows.map((row) => ({
    client_id: Number(row.client_id),
    name: String(row.name),
    sequence: Number(row.sequence),
    side: row.side as ConversationSide,
    text: String(row.text).slice(0, 300),
    at: (row.created_at as Date).toISOString(),
  }))
}
