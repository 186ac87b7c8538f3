import db from '@adonisjs/lucid/services/db'

/** @param used bytes by instance id */
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
