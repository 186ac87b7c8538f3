import db from '@adonisjs/lucid/services/db'

/**
 * Reserves an id for a service that creates its resource before the table row exists. If the id is not used, the
 * ids have a gap.
 */
export async function reserveId(table: string): Promise<number> {
  const { rows } = await db.rawQuery<{ rows: { id: number }[] }>(
    `select nextval(pg_get_serial_sequence(?, 'id')) as id`,
    [table]
  )
  return rows[0].id
}
