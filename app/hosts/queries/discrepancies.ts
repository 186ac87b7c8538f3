import type { HostDiscrepancyView } from '#hosts/transformers/page_props'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Returns at most 100 discrepancies that still exist, newest first. */
export async function listOpenDiscrepancies(hostId: number): Promise<HostDiscrepancyView[]> {
  const rows = await db
    .from('compute_findings')
    .where('host_instance_id', hostId)
    .whereNull('gone_at')
    .orderBy('id', 'desc')
    .limit(100)
  return rows.map((row) => ({
    id: row.id,
    system_id: row.system_id,
    kind: row.kind,
    words: row.words,
    server_instance_id: row.server_instance_id,
    found_at: DateTime.fromJSDate(row.found_at).toISO()!,
  }))
}
