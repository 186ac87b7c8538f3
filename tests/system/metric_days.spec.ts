import { openHome } from '../../cli/berth_home.js'
import { findRealPostgresFolder } from '../../cli/postgres/cluster_folder.js'
import { openDatabase } from '../../cli/postgres/open_database.js'
import { findFreePorts, migrationEnv, commonProcessEnv } from '../../cli/roles.js'
import { runOrThrow } from '../../cli/run_program.js'
import { aceArgv, migrateDatabase } from '../../cli/ace_commands.js'
import { test } from '@japa/runner'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

test.group('Metrics recorded before the daily tables existed', () => {
  test('are complete after the migration, and after its reversal', async ({ assert, cleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-days-'))
    const home = await openHome(join(folder, 'home'))
    const database = await openDatabase(home, { fast: true, env: {} })
    const client = new pg.Client({ connectionString: database.ownerUrl })
    await client.connect()
    cleanup(async () => {
      await client.end()
      await database.stop()
      const data = await findRealPostgresFolder(home.path)
      if (data) await rm(data, { recursive: true, force: true })
      await rm(folder, { recursive: true, force: true })
    })
    const given = { PATH: process.env.PATH, HOST: '127.0.0.1', LOG_LEVEL: 'fatal' }
    const ports = await findFreePorts()
    const env = commonProcessEnv({ home, database, ports, mode: 'test', env: given })
    const up = () => migrateDatabase({ home, database, env, from: 'build', always: true })
    const isByDay = async () => {
      const { rows } = await client.query(
        `select relkind = 'p' as partitioned from pg_class where relname = 'metric_samples'`
      )
      return rows[0].partitioned as boolean
    }
    const sum = async () => {
      const { rows } = await client.query(
        `select count(*)::int as count, sum(cpu)::int as cpu, min(at)::text as first,
           max(at)::text as last from metric_samples`
      )
      return rows[0]
    }
    await up()
    /** Rolls back the migration that created the daily metrics, and all later ones. */
    const down = async () => {
      const { rows } = await client.query(
        `select count(*)::int as steps from adonis_schema
         where id >= (select id from adonis_schema where name like '%_metric_days')`
      )
      const back = ['migration:rollback', '--connection=owner', '--force']
      const argv = aceArgv('build', [...back, `--step=${rows[0].steps}`])
      await runOrThrow(argv, { env: migrationEnv(env, database) })
    }
    await down()
    assert.isFalse(await isByDay())
    await client.query(
      `insert into metric_samples (subject, subject_id, step, at, samples, cpu)
       select 'instance', id, step, date_trunc('hour', now()) - number * interval '37 minutes', 1, number
       from generate_series(1, 3) as id, unnest(array[60, 300, 3600]) as step,
         generate_series(0, 3000) as number`
    )
    const before = await sum()
    assert.equal(before.count, 3 * 3 * 3001)
    await up()
    assert.isTrue(await isByDay())
    assert.deepEqual(await sum(), before)
    await down()
    assert.isFalse(await isByDay())
    assert.deepEqual(await sum(), before)
  })
})
