import { allModules } from '#core/modules'
import { eventually } from '#tests/support/eventually'
import { findFreePort } from '#tests/support/find_free_port'
import { makeCustomer, makeStaff, signIn, testPassword, Visitor } from '#tests/support/people'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import { type ChildProcess, spawn } from 'node:child_process'

test.group('CSRF protection', (group) => {
  let child: ChildProcess
  let base: string

  group.setup(async () => {
    const port = await findFreePort()
    base = `http://127.0.0.1:${port}`
    // Runs the build, which starts much faster than the sources.
    child = spawn(process.execPath, [app.makePath('build/bin/role.js'), 'web'], {
      cwd: app.makePath('build'),
      env: { ...process.env, CSRF: 'on', PORT: String(port), APP_URL: base },
      stdio: 'ignore',
    })
    await eventually(async () => {
      const answer = await fetch(`${base}/health`).catch(() => null)
      if (!answer?.ok) throw new Error('not up yet')
    })
    return () => void child.kill()
  })

  test('a request without a token changes nothing', async ({ assert }) => {
    const person = await makeCustomer()
    const visitor = new Visitor(base)
    await visitor.page('/login')
    const credentials = { email: person.email, password: testPassword }
    const without = new Visitor(base)
    for (const [name, value] of visitor.cookies) {
      if (!name.startsWith('XSRF')) without.cookies.set(name, value)
    }
    const refused = await without.post('/login', credentials)
    assert.deepEqual([refused.status, refused.json.code], [419, 'out_of_date'])
    const forged = await without.post('/login', credentials, { 'x-xsrf-token': 'e:forged' })
    assert.equal(forged.status, 419)
    assert.equal((await visitor.post('/login', credentials)).status, 200)
  })

  test('exempt routes reject unsigned requests', async ({ assert }) => {
    const paths = allModules().flatMap(({ csrfExemptRoutes }) => csrfExemptRoutes ?? [])
    assert.isNotEmpty(paths)
    for (const path of paths) {
      const { status, json } = await new Visitor(base).post(path, {})
      assert.deepEqual([status, json.code], [401, 'not_signed'], path)
    }
  })

  test('both areas have separate tokens in one browser', async ({ assert }) => {
    const [customer, staff] = [await makeCustomer(), await makeStaff()]
    const visitor = new Visitor(base)
    await visitor.page('/login')
    await visitor.page('/admin/login')
    await signIn(customer, visitor)
    await signIn(staff, visitor)
    for (const path of ['/profile/update', '/admin/profile/update', '/profile/update']) {
      assert.equal((await visitor.post(path, { name: 'Ada' })).status, 200, path)
    }
    const swapped = visitor.cookies.get('XSRF-TOKEN/admin')!
    const headers = { 'x-xsrf-token': decodeURIComponent(swapped) }
    assert.equal((await visitor.post('/profile/update', { name: 'Ada' }, headers)).status, 419)
  })
})
