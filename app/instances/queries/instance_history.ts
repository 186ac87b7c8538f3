import { auditEntryView } from '#core/audit/entry'
import { listOperationsOfSubject } from '#core/operations/operations'
import type ServerInstance from '#instances/models/server_instance'
import type { DeletionView, HistoryView } from '#instances/transformers/instance'
import db from '@adonisjs/lucid/services/db'

/** Maximum number of audit entries, and of operations. */
const MAX_HISTORY_ENTRIES = 100

/** Newest first. The entries remain after the instance's deletion. */
export async function loadInstanceHistory({
  id,
}: Pick<ServerInstance, 'id'>): Promise<HistoryView> {
  const [entries, operations] = await Promise.all([
    listAuditEntries(id).limit(MAX_HISTORY_ENTRIES),
    listOperationsOfSubject('server_instance', id, MAX_HISTORY_ENTRIES),
  ])
  return {
    activity: entries.map(auditEntryView),
    operations: operations.map((operation) => operation.describe()),
  }
}

/** Null: the instance is not deleted. */
export async function findDeletion(instance: ServerInstance): Promise<DeletionView | null> {
  const { id, status, deletedAt, updatedAt } = instance
  if (status !== 'deleted') return null
  const entry = await listAuditEntries(id).where('action', 'instance.delete').first()
  return { at: (deletedAt ?? updatedAt).toISO()!, by: entry?.actor_name ?? null }
}

function listAuditEntries(id: number) {
  return db
    .from('audit_entries')
    .where({ subject_type: 'server_instance', subject_id: String(id) })
    .orderBy('id', 'desc')
}
