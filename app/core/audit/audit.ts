import type { Actor } from '#core/contracts/actor'
import { type AuditSubjectType, collectFromModules } from '#core/modules'
import { publishAll } from '#core/live/live_events'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export function auditSubjectLabels(): Record<string, string> {
  return collectFromModules('auditSubjects')
}

export interface AuditEntry {
  /** `null`: Berth itself. */
  actor: Pick<Actor, 'id' | 'name' | 'email'> | null
  /** The account whose audit log also shows the entry. */
  accountId?: number | null
  /** Dotted, noun first: `instance.delete`. */
  action: string
  subject: { type: AuditSubjectType; id: number | string; label?: string }
  before?: Record<string, unknown>
  after?: Record<string, unknown>
  ip?: string | null
}

/**
 * Adds an audit entry and publishes the change, so that open pages refresh. A database trigger
 * rejects changes to existing entries.
 */
export async function audit(entry: AuditEntry, trx?: TransactionClientContract): Promise<void> {
  await (trx ?? db)
    .insertQuery()
    .table('audit_entries')
    .insert({
      actor_id: entry.actor?.id ?? null,
      actor_name: entry.actor ? `${entry.actor.name} <${entry.actor.email}>` : 'Berth',
      account_id: entry.accountId ?? null,
      action: entry.action,
      subject_type: entry.subject.type,
      subject_id: String(entry.subject.id),
      subject_label: entry.subject.label ?? null,
      before: entry.before ? JSON.stringify(entry.before) : null,
      after: entry.after ? JSON.stringify(entry.after) : null,
      ip: entry.ip ?? null,
    })
  const { type, id } = entry.subject
  await publishAll([`${type}:${id}`, 'audit'], { owner: entry.accountId, trx })
}
