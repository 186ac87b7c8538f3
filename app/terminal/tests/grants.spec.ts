import { createGrant, redeemGrant, type GrantScope } from '#terminal/actions/grants'
import sweepGrants from '#terminal/schedules/delete_expired_grants'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { createHash, randomUUID } from 'node:crypto'
import { newHost, newInstance, newPerson, signIn, type Browser } from '#terminal/tests/support'

test.group('Terminal grants', () => {
  const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

  async function given(folder = '/var/www/public_html') {
    const person = await newPerson('customer')
    const holder = { personId: person.id, sessionId: randomUUID() }
    const allowed: GrantScope = {
      machineType: 'server_instance',
      machineId: 7,
      folder,
      ip: '192.0.2.9',
    }
    return { holder, allowed, token: await createGrant(holder, allowed) }
  }

  test('can be redeemed once, and return the machine and folder they were created for', async ({
    assert,
  }) => {
    const { holder, allowed, token } = await given()
    assert.deepEqual(await redeemGrant(token, holder), allowed)
    assert.isNull(await redeemGrant(token, holder))
  })

  test('only one of eight simultaneous redemptions succeeds', async ({ assert }) => {
    const { holder, token } = await given()
    const tries = await Promise.all(Array.from({ length: 8 }, () => redeemGrant(token, holder)))
    assert.lengthOf(tries.filter(Boolean), 1)
  })

  test('cannot be redeemed by another person or session, and such attempts do not use them up', async ({
    assert,
  }) => {
    const { holder, token } = await given()
    const other = await newPerson('customer')
    assert.isNull(await redeemGrant(token, { ...holder, personId: other.id }))
    assert.isNull(await redeemGrant(token, { ...holder, sessionId: randomUUID() }))
    assert.isNull(await redeemGrant(`${token}x`, holder))
    assert.isNull(await redeemGrant('', holder))
    assert.isNotNull(await redeemGrant(token, holder))
  })

  test('expire after 60 seconds, and are then deleted', async ({ assert }) => {
    const { holder, token } = await given()
    const row = () => db.from('terminal_grants').where('token_hash', hashOf(token))
    const [{ left }] = await row().select(
      db.raw('extract(epoch from expires_at - now())::float as left')
    )
    assert.isAbove(left, 0)
    assert.isAtMost(left, 60)
    await row().update({ expires_at: db.raw(`now() - interval '1 second'`) })
    assert.isNull(await redeemGrant(token, holder))
    await sweepGrants.run(new AbortController().signal)
    assert.lengthOf(await row(), 0)
  })

  test('are stored as hashes only', async ({ assert }) => {
    const { holder, token } = await given()
    const row = await db.from('terminal_grants').where('token_hash', hashOf(token)).firstOrFail()
    assert.notInclude(JSON.stringify(row), token)
    assert.notInclude(JSON.stringify(row), holder.sessionId)
  })
})

test.group('Requests for terminal grants', () => {
  const asCall = (browser: Browser) => ({ cookie: browser.cookie, accept: 'application/json' })

  test('a customer gets a grant for their own instance, and no secret', async ({
    client,
    assert,
  }) => {
    const browser = await signIn(await newPerson('customer'))
    const instance = await newInstance(browser.person, { privateKey: 'very-secret-key' })
    const response = await client
      .post('/terminal/grants')
      .headers(asCall(browser))
      .json({ server_instance_id: instance.id, path: '/shop/' })
    response.assertStatus(201)
    const { data } = response.body()
    assert.match(data.grant, /^[\w-]{43}$/)
    assert.deepInclude(data, { host: '192.0.2.1', user: 'berth', port: 20_022 })
    assert.include(data.commands, '/var/www/public_html/shop')
    assert.notInclude(JSON.stringify(response.body()), 'very-secret')
    const allowed = await redeemGrant(data.grant, {
      personId: browser.person.id,
      sessionId: browser.sessionId,
    })
    assert.containsSubset(allowed, {
      machineType: 'server_instance',
      machineId: instance.id,
      folder: '/var/www/public_html/shop',
    })
  })

  test('another customer’s instance gets the same 404 as one that does not exist', async ({
    client,
    assert,
  }) => {
    const browser = await signIn(await newPerson('customer'))
    const foreign = await newInstance(await newPerson('customer'))
    const ask = (id: unknown) =>
      client
        .post('/terminal/grants')
        .headers(asCall(browser))
        .json({ server_instance_id: id, host_instance_id: id })
    const [other, none] = [await ask(foreign.id), await ask(999_999_999)]
    other.assertStatus(404)
    none.assertStatus(404)
    assert.deepEqual(other.body(), none.body())
  })

  test('a path outside the web root gets 422, and an instance that does not run gets 409', async ({
    client,
    assert,
  }) => {
    const browser = await signIn(await newPerson('customer'))
    const instance = await newInstance(browser.person)
    const ask = (path: string) =>
      client
        .post('/terminal/grants')
        .headers(asCall(browser))
        .json({ server_instance_id: instance.id, path })
    for (const path of ['../../etc', 'shop/../../..', 'a\0b', 'a\nb', 'x'.repeat(2_000)]) {
      const response = await ask(path)
      response.assertStatus(422)
      assert.property(response.body().errors, 'path')
    }
    for (const path of ['', '.', "it's; $(reboot) `x` -rf", 'ü৳/..a']) {
      const response = await ask(path)
      response.assertStatus(201)
    }
    await instance.merge({ status: 'suspended' }).save()
    const response = await ask('')
    response.assertStatus(409)
    assert.equal(response.body().message, 'The instance is suspended.')
  })

  test('only administrators get grants for hosts, and for instances in the staff area', async ({
    client,
    assert,
  }) => {
    const host = await newHost()
    const instance = await newInstance(await newPerson('customer'))
    const ask = (browser: Browser, data: object) =>
      client.post('/admin/terminal/grants').headers(asCall(browser)).json(data)
    const both = [{ host_instance_id: host.id }, { server_instance_id: instance.id }]

    const support = await signIn(await newPerson('staff', 'support'))
    for (const machine of both) {
      const response = await ask(support, machine)
      response.assertStatus(403)
      assert.match(response.body().message, /^Only administrators can/)
    }
    const customer = await signIn(await newPerson('customer'))
    for (const machine of both) (await ask(customer, machine)).assertStatus(401)

    const administrator = await signIn(await newPerson('staff', 'administrator'))
    for (const machine of both) (await ask(administrator, machine)).assertStatus(201)
    const neither = await ask(administrator, {})
    neither.assertStatus(422)
  })

  test('a signed-out visitor gets 401', async ({ client }) => {
    for (const path of ['/terminal/grants', '/admin/terminal/grants']) {
      const response = await client.post(path).accept('json').json({ server_instance_id: 1 })
      response.assertStatus(401)
    }
  })
})
