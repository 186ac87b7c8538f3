import { publish } from '#core/live/live_events'
import db from '@adonisjs/lucid/services/db'

/** A difference between Berth's data and a host, which staff must resolve. */
export interface HostDiscrepancy {
  systemId: string
  kind:
    | 'unrecorded'
    | 'missing'
    | 'unknown_record'
    | 'copy'
    | 'not_applied'
    | 'not_corrected'
    | 'cluster'
    | 'needs_restart'
    | 'subvolumes'
    | 'connections'
  words: string
  instanceId: number | null
}

/** Marks discrepancies that no longer exist as resolved. */
export async function saveHostDiscrepancies(
  hostId: number,
  findings: HostDiscrepancy[]
): Promise<void> {
  const open = await db
    .from('compute_findings')
    .where('host_instance_id', hostId)
    .whereNull('gone_at')
    .select('id', 'system_id', 'kind')
  const key = (systemId: string, kind: string) => `${kind} ${systemId}`
  const currentKeys = new Set(findings.map(({ systemId, kind }) => key(systemId, kind)))
  const gone = open
    .filter((row) => !currentKeys.has(key(row.system_id, row.kind)))
    .map(({ id }) => id)
  await db.from('compute_findings').whereIn('id', gone).update({ gone_at: new Date() })
  for (const { systemId, kind, words, instanceId } of findings) {
    await db.rawQuery(
      `insert into compute_findings (host_instance_id, system_id, kind, words, server_instance_id)
       values (?, ?, ?, ?, ?)
       on conflict (host_instance_id, system_id, kind) where gone_at is null
       do update set seen_at = now(), words = excluded.words`,
      [hostId, systemId, kind, words, instanceId]
    )
  }
  if (gone.length || currentKeys.size > open.length) await publish(`host_instance:${hostId}`)
}
