import { type AuditRow, auditSubjects } from '#core/audit/audit'
import { type ListRequest, listPage, prefixPattern } from '#core/list_page'
import type { ActivityPage } from '#identity/transformers/pages'
import db from '@adonisjs/lucid/services/db'
import type { DatabaseQueryBuilderContract } from '@adonisjs/lucid/types/querybuilder'

interface Row {
  id: number
  created_at: Date
  actor_name: string
  action: string
  subject_type: string
  subject_id: string
  subject_label: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  ip: string | null
}

/** A page of the audit log, newest first; of one customer, or of everybody. */
export async function activity(asked: ListRequest, accountId?: number): Promise<ActivityPage> {
  const query: DatabaseQueryBuilderContract = db.from('audit_entries').select('*')
  if (accountId !== undefined) query.where('account_id', accountId)
  if (asked.search) {
    const pattern = prefixPattern(asked.search)
    query.where((match) => {
      for (const column of ['actor_name', 'action', 'subject_label', 'ip']) {
        match.orWhereILike(column, pattern)
      }
    })
  }
  const found = await listPage<Row>(query, asked, { statusColumn: 'subject_type' })
  return { ...found, rows: found.rows.map(rowView), statuses: auditSubjects() }
}

/** The last that is written of an account, newest first. */
export async function auditRows({ accountId, limit }: { accountId: number; limit: number }) {
  const rows: Row[] = await db
    .from('audit_entries')
    .where('account_id', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
  return rows.map(rowView)
}

function rowView(row: Row): AuditRow {
  return {
    id: row.id,
    at: row.created_at.toISOString(),
    who: row.actor_name,
    action: row.action,
    subject: { type: row.subject_type, id: row.subject_id, label: row.subject_label },
    before: row.before,
    after: row.after,
    ip: row.ip,
  }
}
