import { createReadinessCheck } from '#packages/service/readiness'
import { test } from '@japa/runner'

/**
 * Creates a fake database that returns `names` as the applied migrations, or fails with the PostgreSQL error `code`.
 */
function answering() {
  const state: { names: string[]; code?: string; asked: string[] } = { names: [], asked: [] }
  const rows = async <T extends object>(sql: string) => {
    state.asked.push(sql)
    if (state.code) throw Object.assign(new Error('refused'), { code: state.code })
    return state.names.map((name) => ({ name })) as unknown as T[]
  }
  return { state, database: { rows } }
}

test.group('Readiness of a service', () => {
  test('a database with all migrations of this version is ready, even if it has newer ones', async ({
    assert,
  }) => {
    const { state, database } = answering()
    const readiness = createReadinessCheck(database, 'vault', ['0001_a', '0002_b'])
    state.names = ['0001_a']
    assert.equal(await readiness(), 'tables are older than this version')
    state.names = ['0001_a', '0002_b', '0003_later']
    assert.equal(await readiness(), 'ok')
    // Once all migrations were found, the service does not read them again, so this change has no effect.
    state.names = []
    assert.equal(await readiness(), 'ok')
    assert.equal(state.asked.at(-1), 'select 1')
    state.code = 'ECONNREFUSED'
    assert.equal(await readiness(), 'database unavailable')
  })

  test('a missing view means that the tables are too old, and a view without read permission is ignored', async ({
    assert,
  }) => {
    const { state, database } = answering()
    const readiness = createReadinessCheck(database, 'mail', ['0001_a'])
    state.code = '42P01'
    assert.equal(await readiness(), 'tables are older than this version')
    state.code = '42501'
    assert.equal(await readiness(), 'ok')
  })
})
