/// <reference lib="dom" />
import { visit } from '#tests/support/browser'
import { makeInstance } from '#guest/tests/instances'
import { makeCustomer, makeVisitor, signIn, testPassword } from '#tests/support/people'
import { loadCodeSentTo } from '#tests/support/outbox_mails'
import { freshEmail } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

test.group('Landing page and sign-in', (group) => {
  const stage = stageOf(group, async () => undefined)

  proves(['C1.10', 'C1.11', 'C2.11', 'C2.12', 'C2.9'], async () => {
    const { page } = stage
    await visit(page, '/')
    for (const feature of [
      'Automated server setup',
      'Real-time monitoring',
      'Seamless integration',
    ]) {
      await page.getByRole('heading', { name: feature }).waitFor()
    }
    const href = (name: string) =>
      page.getByRole('link', { name, exact: true }).first().getAttribute('href')
    assert.equal(await href('Get Started'), '/login?action=get-started')
    assert.equal(await href('Sign In'), '/login')
    await visit(page, '/login')
    const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    assert.deepEqual(await links.allInnerTexts(), ['Login'])
    assert.equal(await links.getAttribute('href'), '/login')
  })

  proves(['C2.17', 'C2.22', 'C7.9'], async () => {
    const { page } = stage
    const visitor = await makeVisitor()
    const { json } = await visitor.page('/login')
    assert.equal(json.props!.loginState, 'login')
    await visit(page, '/login')
    const google = page.getByText('Continue With Google')
    await google.waitFor()
    // If the installation has no Google keys, the button explains this instead of opening Google's page.
    const link = page.getByRole('link', { name: 'Continue With Google' })
    const target = (await link.count()) ? await link.getAttribute('href') : null
    assert.ok(target === null || target === '/google/redirect')
    const { status } = await visitor.get('/google/redirect', { accept: 'text/html' })
    assert.ok([302, 303, 404, 409, 503].includes(status), String(status))
  })

  proves(
    ['C1.1', 'C2.15', 'C3.2', 'C4.3', 'C5.1', 'C5.10', 'C5.14', 'C7.4', 'C7.5', 'C7.6', 'C7.7'],
    async () => {
      const visitor = await makeVisitor()
      const email = freshEmail('new')
      const form = { email, otp: '', password: '', confirm_password: '' }
      const refused = await visitor.post('/login', { ...form, email: '' })
      assert.equal(refused.status, 422)
      assert.ok(refused.json.errors!.email && refused.json.errors!.password)
      const sent = await visitor.post('/send-otp', form)
      assert.deepEqual([sent.status, sent.json.success], [200, true])
      assert.ok(sent.json.message)
      const { json } = await visitor.page('/login')
      assert.equal(json.props!.loginState, 'match_otp')
      const userId = (sent.json.data as { user_id?: number } | undefined)?.user_id
      const otp = await loadCodeSentTo(email)
      const match = (change: object) =>
        visitor.post('/match-otp', { ...form, user_id: userId, otp, ...change })
      const without = await match({ otp: '' })
      assert.equal(without.status, 422)
      for (const field of ['otp', 'password', 'confirm_password']) {
        assert.ok(without.json.errors![field], field)
      }
      const short = await match({ password: 'nine char', confirm_password: 'nine char' })
      assert.ok(short.json.errors!.password)
      const other = await match({ password: testPassword, confirm_password: `${testPassword}!` })
      assert.ok(other.json.errors!.confirm_password)
      const right = await match({ password: testPassword, confirm_password: testPassword })
      assert.deepEqual([right.status, right.json.success], [200, true])
      const again = await makeVisitor()
      const signedIn = await again.post('/login', { ...form, password: testPassword })
      assert.deepEqual([signedIn.status, signedIn.json.success], [200, true])
    }
  )
})

test.group('Layout of the customer area', (group) => {
  const stage = stageOf(group, () => makeCustomer({ name: 'Nasrin Akhter' }))
  const menu = () => stage.page.getByRole('navigation', { name: 'Main' })

  proves(['C2.1', 'C2.2', 'C2.3', 'C2.4', 'C2.5', 'C2.6', 'C2.7'], async () => {
    const { page } = stage
    const entries: [string | null, string, string][] = [
      [null, 'Dashboard', '/'],
      ['VPS Servers', 'Instances', '/server-instance/list'],
      ['Databases', 'Mysql', '/database/mysql'],
      ['Databases', 'MongoDB', '/database/mongodb'],
      [null, 'File Manager', '/file-manager'],
      [null, 'Projects / Sites', '/project/list'],
      [null, 'Vault (Storage Service)', '/vault/list'],
      // The specification does not have this entry (docs/decisions/0084).
      [null, 'Email', '/email/list'],
      [null, 'Billing & Payment', '/billing'],
    ]
    for (const [name, entry, address] of entries) {
      await visit(page, '/')
      const link = menu().getByRole('link', { name: entry })
      if (name) {
        const head = menu().getByRole('button', { name })
        if ((await head.getAttribute('aria-expanded')) !== 'true') await head.click()
      }
      assert.equal(await link.getAttribute('href'), address)
      await link.click()
      await page.waitForURL((url) => url.pathname === address)
      await page.getByRole('heading', { level: 1 }).waitFor()
    }
    await page.goto('/vault')
    await page.waitForURL('**/vault/list')
  })

  proves(['C2.10', 'C8.1', 'A8.13', 'A9.14', 'C9.12'], async () => {
    const { page } = stage
    await visit(page, '/profile')
    await page.getByRole('button', { name: 'Save profile' }).click()
    const toast = page.locator('.Toastify__toast').first()
    await toast.waitFor()
    // The toast is inside the header next to its buttons, so that it covers none of them
    // (docs/product.md, "Lists and pages").
    const box = (await toast.boundingBox())!
    assert.ok(box.x + box.width > 1280 / 2 && box.y < 60, JSON.stringify(box))
    await page.locator('.Toastify__toast-container--top-right').waitFor()
    const bar = page.locator('.Toastify__progress-bar').first()
    assert.equal(await bar.evaluate((one) => getComputedStyle(one).animationDuration), '4s')
  })

  proves(['C2.8', 'C3.1', 'C6.1'], async () => {
    const { page, person } = stage
    const instance = await makeInstance(person)
    const visitor = await signIn(person)
    await visitor.post(`/server-instance/set-as-default/${instance.id}`)
    const { json } = await visitor.page('/')
    const user = json.props!.user as Record<string, unknown>
    assert.deepEqual(
      [user.id, user.name, user.default_instance_id],
      [person.id, 'Nasrin Akhter', instance.id]
    )
    await visit(page, '/')
    await page.getByRole('button', { name: 'Nasrin Akhter' }).click()
    await page.getByRole('menuitem', { name: 'Logout' }).click()
    await page.getByRole('heading', { name: 'Login', level: 1 }).waitFor()
    const out = await makeVisitor()
    for (const path of ['/server-instance/list', '/billing', '/vault/list', '/email/list']) {
      const { status, headers } = await out.get(path, { accept: 'text/html' })
      assert.ok([302, 303].includes(status), `${path}: ${status}`)
      assert.match(headers.get('location')!, /\/login/)
    }
  })
})
