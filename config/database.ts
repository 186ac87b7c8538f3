import env from '#start/env'
import { defineConfig } from '@adonisjs/lucid'
import { CONNECT_TIMEOUT_MS, DatabaseWatch } from '#packages/service/database_watch'
import pg from 'pg'

/** Parses 64-bit integers such as IDs as numbers, because they stay far below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

/**
 * Closes connections that wait for an unresponsive PostgreSQL. Connections of migrations (`owner`) are not watched,
 * because migrations may take long.
 */
export const databaseWatch = new DatabaseWatch(env.get('DATABASE_URL').release())

/** pg supports `connectionTimeoutMillis`, but Lucid's types do not contain it. */
const connection = {
  connectionString: env.get('DATABASE_URL').release(),
  connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
}

const migrations = { naturalSort: true, paths: ['database/migrations'] }
const schemaGeneration = { enabled: false }

export default defineConfig({
  connection: 'app',
  connections: {
    app: {
      client: 'pg',
      connection,
      pool: {
        min: 0,
        max: 12,
        afterCreate(client: pg.Client, done: (error: null, client: pg.Client) => void) {
          databaseWatch.add(client)
          done(null, client)
        },
      },
      migrations,
      schemaGeneration,
    },
    owner: {
      client: 'pg',
      connection: {
        connectionString: (env.get('MIGRATION_DATABASE_URL') ?? env.get('DATABASE_URL')).release(),
      },
      pool: { min: 0, max: 2 },
      migrations,
      schemaGeneration,
    },
  },
})
