import { auditSentence } from '#core/audit/audit_sentences'

export interface AuditEntryRow {
  id: number | string
  created_at: Date
  actor_id: number | string | null
  actor_name: string
  action: string
  subject_type: string
  subject_id: string
  subject_label: string | null
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  ip: string | null
}

export interface AuditEntryView {
  id: number
  /** ISO time. */
  at: string
  /** `Name <address>`, or `Berth` for Berth's own actions. */
  who: string
  /** Value for the person filter: a person's id, or `berth`. */
  person: string
  action: string
  sentence: string
  subject: { type: string; id: string; label: string | null }
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  ip: string | null
}

export function auditEntryView(row: AuditEntryRow): AuditEntryView {
  const { subject_type: type, subject_id: id, subject_label: label } = row
  return {
    id: Number(row.id),
    at: row.created_at.toISOString(),
    who: row.actor_name,
    person: row.actor_id === null ? 'berth' : String(row.actor_id),
    action: row.action,
    sentence: auditSentence(row.action, label ?? `${type.replaceAll('_', ' ')} ${id}`),
    subject: { type, id, label },
    before: row.before,
    after: row.after,
    ip: row.ip,
  }
}
