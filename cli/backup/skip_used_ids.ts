import { withDatabaseClient } from '../postgres/connections.js'

const SKIPPED_IDS = 1_000_000

/**
 * Increases all sequences of a restored database. Rows that were created after the backup are lost, but containers,
 * files and backups with their IDs still exist. A new row with such an ID would get another customer's data.
 */
export async function skipUsedIds(databaseUrl: string): Promise<void> {
  await withDatabaseClient(databaseUrl, (client) =>
    client.query(
      `select setval(
         format('%I.%I', schemaname, sequencename)::regclass,
         least(max_value, coalesce(last_value, start_value) + $1 * increment_by)
       ) from pg_sequences where increment_by > 0`,
      [SKIPPED_IDS]
    )
  )
}
