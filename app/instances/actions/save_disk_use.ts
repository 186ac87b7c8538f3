import db from '@adonisjs/lucid/services/db'

/**
 * Keeps what instances have on their disks, as it was measured last.
 * @param used bytes by the instance's id
 */
export async function saveDiskUse(used: Map<number, number>): Promise<void> {
  if (used.size === 0) return
  await db.rawQuery(
    `update server_instances set disk_used = measured.used
       from unnest(?::bigint[], ?::bigint[]) as measured (id, used)
      where server_instances.id = measured.id
        and server_instances.disk_used is distinct from measured.used`,
    [[...used.keys()], [...used.values()]]
  )
}
