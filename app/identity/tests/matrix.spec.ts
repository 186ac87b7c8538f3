import {
  allRows,
  answersOf,
  ask,
  askers,
  makeAsker,
  makeAskers,
  makeCast,
} from '#tests/support/matrix'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

function allRoutes(): string[] {
  return Object.values(router.toJSON())
    .flat()
    .flatMap(({ methods, pattern }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${pattern}`)
    )
}

const rows = await allRows()

test.group('Matrix', () => {
  test('every route has a row, every row a route', async ({ assert }) => {
    const routes = allRoutes()
    const known = rows.map(([route]) => route)
    const missing = routes.filter((route) => !known.includes(route))
    if (missing.length) {
      const visitors = await makeAskers(await makeCast())
      for (const route of missing) {
        const answers: number[] = []
        for (const asker of visitors) answers.push(await ask(asker, route, 'call'))
        process.stdout.write(`  ['${route}', 'call', '${answers.join(' ')}'],\n`)
      }
    }
    assert.deepEqual(missing, [], 'Add rows to app/<domain>/tests/matrix.ts')
    assert.deepEqual(
      known.filter((route) => !routes.includes(route)),
      []
    )
  }).timeout(300_000)

  test('each of them gets the expected answer', async ({ assert }) => {
    const cast = await makeCast()
    const visitors = await makeAskers(cast)
    const wrong: string[] = []
    for (const row of rows) {
      const [route, kind, , make, fresh] = row
      const expected = answersOf(row).join(' ')
      const asked = fresh ? undefined : await make?.(cast)
      const got: number[] = []
      for (const index of askers.keys()) {
        const own = fresh ? await makeCast() : cast
        const visitor = fresh ? await makeAsker(own, index) : visitors[index]
        // Somebody else's thing is there before it is asked for.
        if (fresh && index !== 1) await makeAsker(own, 1)
        // What somebody before them has changed is not what a member of the account is asked about.
        const anew = fresh || index > 4
        got.push(await ask(visitor, route, kind, anew ? await make?.(own) : asked))
      }
      if (got.join(' ') !== expected) {
        wrong.push(`${route}: expected ${expected}, got ${got.join(' ')} (${askers.join(', ')})`)
      }
    }
    assert.deepEqual(wrong, [])
  }).timeout(300_000)
})
