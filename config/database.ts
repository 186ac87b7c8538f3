import env from '#start/env'
import { defineConfig } from '@adonisjs/lucid'
import pg from 'pg'

/** Identifiers are 64-bit in the database and stay far below 2^53. */
pg.types.setTypeParser(pg.types.builtins.INT8, Number)

const migrations = { naturalSort: true, paths: ['database/migrations'] }
/** Models are written by hand. */
const schemaGeneration = { enabled: false }

export default defineConfig({
  connection: 'app',
  connections: {
    app: {
      client: 'pg',
      connection: { connectionString: env.get('DATABASE_URL').release() },
      pool: { min: 0, max: 12 },
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
