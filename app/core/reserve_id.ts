import db from '@adonisjs/lucid/services/db'

/**
 * Reserves the next id of a table before its row exists, for a service that creates its resource first. An
 * id that is not used remains a gap.
 */
export async function reserveId(table: string): Promise<number> {
  const { rows } = await db.rawQuery<{ rows: { id: number }[] }>(
    `select nextval(pg_get_serial_sequence(?, 'id')) as id`,
    [table]
  )
  return rows[0].id
}
