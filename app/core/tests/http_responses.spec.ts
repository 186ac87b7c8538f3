import { makeCustomer, makeStaff, signIn, Visitor } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('HTTP responses', () => {
  test('a call to an unknown path gets 404 as JSON', async ({ client, assert }) => {
    const response = await client.get('/no-such-thing').accept('json')
    response.assertStatus(404)
    assert.deepEqual(response.body(), {
      success: false,
      code: 'not_found',
      message: 'This page does not exist.',
    })
  })

  test('without sign-in, a call gets 401 and a page visit is redirected to its area’s sign-in page', async ({
    client,
    assert,
  }) => {
    const call = await client.get('/operations/running').accept('json')
    call.assertStatus(401)
    const visit = await client.get('/admin/operations/running').accept('html').redirects(0)
    visit.assertStatus(302)
    assert.equal(visit.header('location'), '/admin/login')
  })

  test('a page that is requested as JSON returns its props, and `*/*` gets HTML', async ({
    assert,
  }) => {
    const visitor = await signIn(await makeStaff('support'))
    const { status, json } = await visitor.get('/admin/system?tab=work')
    assert.equal(status, 200)
    assert.isTrue(json.success)
    assert.containsSubset(json.data, { tab: 'work', page: 1 })
    const any = await fetch(`http://127.0.0.1:${process.env.PORT}/`, { headers: { accept: '*/*' } })
    assert.match(any.headers.get('content-type')!, /html/)
  })

  test('a rejected page visit shows the reason, and a missing page keeps the person signed in', async ({
    assert,
  }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    for (const [path, status, component] of [
      ['/no-such-page', 404, 'errors/not_found'],
      ['/server-instance/set-as-default/1', 403, 'errors/refused'],
    ] as const) {
      const { json, ...shown } = await visitor.page(path)
      assert.equal(shown.status, status)
      assert.equal(json.component, component)
      assert.isNotEmpty(json.props!.message)
      assert.propertyVal(json.props!.user, 'email', person.email)
    }
  })

  test('a visit from a page of an older version reloads the unchanged URL', async ({ assert }) => {
    const path = '/project/%E2%98%83?search=%E2%98%83'
    const { status, headers } = await fetch(`http://127.0.0.1:${process.env.PORT}${path}`, {
      headers: { 'x-inertia': 'true', 'x-inertia-version': 'older' },
      redirect: 'manual',
    })
    assert.equal(status, 409)
    assert.equal(headers.get('x-inertia-location'), path)
  })

  test('“Try again” on an error page of a path that begins with // stays on this site', async ({
    assert,
  }) => {
    const { status, json } = await new Visitor().page('//other.example/login')
    assert.equal(status, 404)
    assert.equal(json.props!.again, '/other.example/login')
  })

  test('the health check needs no session and sets no cookie', async ({ client, assert }) => {
    const response = await client.get('/health')
    response.assertStatus(200)
    assert.isUndefined(response.header('set-cookie'))
    const live = await client.get('/health/live')
    live.assertStatus(200)
    live.assertBody({ status: 'ok' })
  })
})
