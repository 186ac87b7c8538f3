import {
  loadMatrixRows,
  expectedStatuses,
  fetchStatus,
  requesterRoles,
  createRequester,
  createRequesters,
  createMatrixPeople,
} from '#tests/support/access_matrix'
import SignedInMiddleware from '#identity/middleware/signed_in_middleware'
import { actorOf, makeStaff } from '#tests/support/people'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import router from '@adonisjs/core/services/router'
import { test } from '@japa/runner'

function allRoutes(): string[] {
  return Object.values(router.toJSON())
    .flat()
    .flatMap(({ methods, pattern }) =>
      methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${pattern}`)
    )
}

const rows = await loadMatrixRows()

test.group('Access matrix', () => {
  test('each route has a row, and each row has a route', async ({ assert }) => {
    const routes = allRoutes()
    const known = rows.map(([route]) => route)
    const missing = routes.filter((route) => !known.includes(route))
    if (missing.length) {
      const visitors = await createRequesters(await createMatrixPeople())
      for (const route of missing) {
        const answers: number[] = []
        for (const asker of visitors) answers.push(await fetchStatus(asker, route, 'call'))
        process.stdout.write(`  ['${route}', 'call', '${answers.join(' ')}'],\n`)
      }
    }
    assert.deepEqual(missing, [], 'Add rows to app/<domain>/tests/matrix.ts')
    assert.deepEqual(
      known.filter((route) => !routes.includes(route)),
      []
    )
  }).timeout(900_000)

  test('only routes with the middleware signedIn have an actor', async ({ assert }) => {
    const ctx = new HttpContextFactory().create()
    const actor = await actorOf(await makeStaff())
    ctx.actorIfSignedIn = actor
    assert.throws(() => ctx.actor, /needs the middleware signedIn/)
    await new SignedInMiddleware().handle(ctx, async () => {})
    assert.equal(ctx.actor, actor)
  })

  test('each kind of person gets the expected status', async ({ assert }) => {
    const cast = await createMatrixPeople()
    const visitors = await createRequesters(cast)
    const wrong: string[] = []
    for (const row of rows) {
      const [route, kind, , make, each] = row
      const expected = expectedStatuses(row).join(' ')
      const asked = each ? undefined : await make?.(cast)
      const got: number[] = []
      for (const index of requesterRoles.keys()) {
        const isAlone = each === 'new people'
        const own = isAlone ? await createMatrixPeople() : cast
        const visitor = isAlone ? await createRequester(own, index) : visitors[index]
        // Requests of members (index above 4) need a new record, because earlier requests may have changed the
        // first.
        const anew = each || index > 4
        got.push(await fetchStatus(visitor, route, kind, anew ? await make?.(own) : asked))
      }
      if (got.join(' ') !== expected) {
        wrong.push(
          `${route}: expected ${expected}, got ${got.join(' ')} (${requesterRoles.join(', ')})`
        )
      }
    }
    assert.deepEqual(wrong, [])
  }).timeout(900_000)
})
