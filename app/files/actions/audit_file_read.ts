import { audit } from '#core/audit/audit'
import { encodePathInWebRoot } from '#guest/public'
import type { ServerInstance } from '#instances/public'
import type { HttpContext } from '@adonisjs/core/http'
import db from '@adonisjs/lucid/services/db'

/**
 * Further reads of the same file within this time get no new audit entry. A download can consist of
 * many range requests.
 */
const SAME_READ_MINUTES = 10

/**
 * Writes an audit entry before staff receive any byte of a file. The customer sees the entry too.
 * Folder listings get none: names reveal little, and each click would add an entry.
 */
export async function auditFileRead(
  { actor, request }: HttpContext,
  { id, name, accountId }: ServerInstance,
  action: 'files.read' | 'files.download' | 'files.download_folder',
  file: string,
  details: { names?: string[] } = {}
): Promise<void> {
  const after = { path: encodePathInWebRoot(file), ...details }
  if (actor.audience === 'customer') return
  const subject = { type: 'server_instance' as const, id, label: name }
  const known = await db
    .from('audit_entries')
    .where({ actor_id: actor.id, action, subject_type: subject.type, subject_id: String(id) })
    .whereRaw('after = ?::jsonb', [JSON.stringify(after)])
    .whereRaw(`created_at > now() - interval '${SAME_READ_MINUTES} minutes'`)
    .first()
  if (known) return
  await audit({ actor, accountId, action, subject, after, ip: request.ip() })
}
