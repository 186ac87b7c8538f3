import db from '@adonisjs/lucid/services/db'

/**
 * Reads the values that a check constraint allows in the column. Returns an empty list if the column has no such
 * constraint.
 */
export async function loadAllowedColumnValues(table: string, column: string): Promise<string[]> {
  const { rows } = await db.rawQuery<{ rows: { check: string }[] }>(
    `select pg_get_constraintdef(oid) as check from pg_constraint
     where contype = 'c' and conrelid = to_regclass(?)
       and conkey = array[(select attnum from pg_attribute
         where attrelid = conrelid and attname = ?)]`,
    [table, column]
  )
  return rows.flatMap(({ check }) => [...check.matchAll(/'([a-z_]+)'/g)].map(([, word]) => word))
}
