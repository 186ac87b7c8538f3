import { findFreePorts } from '../../../cli/roles.js'
import { ports as servicePorts } from '#config/services'
import { listen } from '#start/idle_role'
import { start as startGateway } from '#start/roles/gateway'
import { serverOfPages } from '#start/roles/web'
import { makeCustomer, makeVisitor, signIn, Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { readdir } from 'node:fs/promises'
import app from '@adonisjs/core/services/app'

const rowsOf = async () => Number((await db.from('sessions').count('* as total'))[0].total)

test.group('Responses of all services', () => {
  test('every response forbids MIME sniffing, and hides its URL from other sites', async ({
    assert,
    cleanup,
  }) => {
    const base = `http://127.0.0.1:${process.env.PORT}`
    const [asset] = (await readdir(app.makePath('build/public/assets'))).filter((name) =>
      name.endsWith('.js')
    )
    const { vault } = await findFreePorts()
    cleanup(await listen('vault', vault))
    cleanup((await startGateway()).stop)
    const others = [vault, servicePorts.gateway].map((port) => `http://127.0.0.1:${port}`)
    const paths = ['/login', '/health', `/assets/${asset}`, '/nothing-here', '/favicon.svg']
    const theirs = others.flatMap((other) => [`${other}/health`, `${other}/x`])
    for (const path of [...paths.map((one) => base + one), ...theirs]) {
      const { headers } = await fetch(path)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.equal(headers.get('referrer-policy'), 'same-origin', path)
    }
  })

  test('the request timeout allows an upload of 500 MB at 2 Mbit/s', ({ assert }) => {
    const megabytesPerMinuteOn2MbitPerSecond = 15
    const { requestTimeout } = serverOfPages(() => {})
    assert.isAtLeast((requestTimeout / 60_000) * megabytesPerMinuteOn2MbitPerSecond, 500)
  })

  test('browsers do not store responses to a signed-in person', async ({ assert }) => {
    const visitor = await signIn(await makeCustomer())
    for (const path of ['/', '/profile', '/project/list']) {
      const { headers } = await visitor.page(path)
      assert.match(headers.get('cache-control') ?? '', /no-store/, path)
    }
  })
})

test.group('Sessions', () => {
  test('anonymous visitors create no session row', async ({ assert }) => {
    const before = await rowsOf()
    for (let visit = 0; visit < 200; visit++) {
      const visitor = new Visitor()
      await visitor.get(['/login', '/', '/project/list', '/admin/login'][visit % 4], {
        accept: 'text/html',
      })
    }
    assert.isAtMost(await rowsOf(), before)
  }).timeout(900_000)

  test('a sign-in creates a session row and removes the visitor’s cookie', async ({ assert }) => {
    const visitor = await makeVisitor()
    assert.include([...visitor.cookies.keys()], 'berth-customer-visit')
    const before = await rowsOf()
    await signIn(await makeCustomer(), visitor)
    assert.equal(await rowsOf(), before + 1)
    assert.notInclude([...visitor.cookies.keys()], 'berth-customer-visit')
    assert.equal((await visitor.page('/profile')).status, 200)
    const left = await visitor.post('/logout')
    assert.equal(left.status, 200)
    assert.equal(await rowsOf(), before)
  })

  test('an ended sign-in is not copied to a visitor cookie', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = await signIn(person)
    await db.from('devices').where('person_id', person.id).delete()
    assert.equal((await visitor.page('/profile')).status, 302)
    assert.notInclude([...visitor.cookies.keys()], 'berth-customer-visit')
  })

  test('an old visitor cookie does not replace a session row', async ({ assert }) => {
    const visitor = await makeVisitor()
    const visit = visitor.cookies.get('berth-customer-visit')!
    await signIn(await makeCustomer(), visitor)
    visitor.cookies.set('berth-customer-visit', visit)
    assert.equal((await visitor.page('/profile')).status, 200)
  })

  test('sessions are renewed once an hour, and other visits write nothing', async ({ assert }) => {
    const visitor = await signIn(await makeCustomer())
    const { id } = await db.from('sessions').orderBy('expires_at', 'desc').firstOrFail()
    const set = (end: Date) => db.from('sessions').where({ id }).update({ expires_at: end })
    const visitThen = async () => {
      assert.equal((await visitor.page('/profile')).status, 200)
      const { expires_at: end } = await db.from('sessions').where({ id }).firstOrFail()
      return end as Date
    }
    const week = 7 * 24 * 3_600_000
    const recent = new Date(Date.now() + week - 30 * 60_000)
    await set(recent)
    assert.deepEqual(await visitThen(), recent)
    await set(new Date(Date.now() + week - 2 * 3_600_000))
    assert.isAbove((await visitThen()).getTime(), Date.now() + week - 60_000)
  })
})
