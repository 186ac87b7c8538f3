/// <reference lib="dom" />
import { makeBill, makeExternalBill } from '#billing/tests/fixtures'
import { makeHost, makeProject } from '#projects/tests/fixtures'
import { makeInstance } from '#tests/support/instances'
import { openBrowser, visit } from '#tests/support/browser'
import { retireHosts } from '#tests/support/hosts'
import { makeCustomer, makeStaff, makeVisitor, signIn, testPassword } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { RowId } from './rows.js'
import { claimed } from './bills.js'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

test.group('Layout of the administrator area', (group) => {
  const stage = stageOf(group, () => makeStaff('administrator', { title: 'Harbour master' }))
  const menu = () => stage.page.getByRole('navigation', { name: 'Main' })

  proves('A2.1', async () => {
    const { page } = stage
    await visit(page, '/admin')
    await menu().waitFor()
    await page.setViewportSize({ width: 600, height: 800 })
    await menu().waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Open menu' }).waitFor()
    await page.setViewportSize({ width: 1280, height: 800 })
    await menu().waitFor()
  })

  proves('A2.2', async () => {
    const brand = stage.page.getByRole('banner').getByRole('link', { name: /Admin/ })
    await brand.locator('svg').waitFor()
    assert.match(await brand.innerText(), /Admin$/)
  })

  proves('A2.3', async () => {
    const { page } = stage
    await visit(page, '/admin')
    const group = (name: string, is = {}) =>
      menu().getByRole('button', { name: new RegExp(`^${name}`), ...is })
    await group('VPS Servers').click()
    await group('VPS Servers', { expanded: true }).waitFor()
    await group('Projects').click()
    await group('Projects', { expanded: true }).waitFor()
    await group('VPS Servers', { expanded: false }).waitFor()
    // A click on a group with a single entry also opens that entry's page. The new page then expands the group again.
    await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor()
    await group('Projects').click()
    await group('Projects', { expanded: false }).waitFor()
  })

  const entries: [RowId, string | null, string, string][] = [
    ['A2.4', null, 'Dashboard', '/admin'],
    ['A2.5', 'VPS Servers', 'Instances', '/admin/server-instance/list'],
    ['A2.6', 'Host Instances', 'Host Instances', '/admin/host-instance/list'],
    ['A2.7', 'Projects', 'Projects', '/admin/project/list'],
    ['A2.8', null, 'Email', '/admin/email/list'],
    ['A2.9', null, 'Vault', '/admin/vault/list'],
    ['A2.10', null, 'Live Support', '/admin/live-support'],
    ['A2.11', 'Billing & Payments', 'console billing', '/admin/billing/list'],
    ['A2.12', 'Billing & Payments', 'Auto Courier billing', '/admin/autocourier-billing/list'],
  ]
  proves(
    ['A2.4', 'A2.5', 'A2.6', 'A2.7', 'A2.8', 'A2.9', 'A2.10', 'A2.11', 'A2.12', 'A6.1'],
    async () => {
      const { page } = stage
      for (const [row, name, entry, address] of entries) {
        await visit(page, '/admin')
        if (name)
          await menu()
            .getByRole('button', { name: new RegExp(`^${name}`) })
            .click()
        const link = menu().getByRole('link', { name: new RegExp(`^${entry}`) })
        assert.equal(await link.getAttribute('href'), address, row)
        await link.click()
        await page.waitForURL((url) => url.pathname === address)
        await page.getByRole('heading', { level: 1 }).waitFor()
      }
    }
  )

  proves('A2.14', async () => {
    const { page } = stage
    await claimed(await makeExternalBill())
    await visit(page, '/admin/autocourier-billing/list')
    await menu()
      .getByRole('link', { name: /^Auto Courier billing.*\d+\+? new$/s })
      .waitFor()
  })

  proves(['A2.15', 'A9.13'], async () => {
    const { page } = stage
    await visit(page, '/admin')
    await page.route('**/admin/vault/list*', async (route) => {
      await page.locator('#nprogress').waitFor({ state: 'attached' })
      await route.continue()
    })
    const started = Date.now()
    await menu().getByRole('link', { name: 'Vault' }).click()
    await page.locator('#nprogress').waitFor({ state: 'attached' })
    assert.ok(Date.now() - started >= 250)
    await page.waitForURL('**/admin/vault/list')
    await page.unroute('**/admin/vault/list*')
    await page.locator('#nprogress').waitFor({ state: 'detached' })
  })

  proves('A2.13', async () => {
    const { page, person } = stage
    await visit(page, '/admin')
    await page.getByRole('button', { name: person.name }).click()
    const account = page.getByRole('menu', { name: 'Account' })
    await account.getByRole('menuitem').first().waitFor()
    assert.deepEqual(await account.getByRole('menuitem').allInnerTexts(), ['Profile', 'Sign out'])
    await account.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/admin/login')
  })
})

test.group('Pages of the administrator area', () => {
  proves(
    [
      'A2.16',
      'A2.17',
      'A2.18',
      'A2.19',
      'A2.20',
      'A2.21',
      'A2.22',
      'A2.24',
      'A2.25',
      'A2.26',
      'A2.27',
      'A2.28',
      'A2.29',
      'A2.30',
    ],
    async () => {
      const customer = await makeCustomer()
      const [instance, host] = [await makeInstance(customer, 'stopped'), await makeHost('/nowhere')]
      const project = await makeProject(instance)
      const [bill, courier] = [await makeBill(customer), await makeExternalBill()]
      const visitor = await signIn(await makeStaff())
      const pages = {
        'autocourier_billing/details': `autocourier-billing/details/${courier.id}`,
        'autocourier_billing/list': 'autocourier-billing/list',
        'billing/details': `billing/details/${bill.id}`,
        'billing/list': 'billing/list',
        dashboard: '',
        'email/list': 'email/list',
        'host_instance/details': `host-instance/${host.id}`,
        'host_instance/list': 'host-instance/list',
        live_support: 'live-support',
        'project/details': `project/${project.id}`,
        'project/list': 'project/list',
        'server_instance/details': `server-instance/${instance.id}`,
        'server_instance/list': 'server-instance/list',
        'vault/list': 'vault/list',
      }
      for (const [page, path] of Object.entries(pages)) {
        const { json } = await visitor.page(`/admin/${path}`.replace(/\/$/, ''))
        assert.equal(json.component, `admin/${page}`)
      }
      const { json } = await (await makeVisitor('admin')).page('/admin/login')
      assert.equal(json.component, 'admin/login')
      await retireHosts(host)
    }
  )

  proves(['A1.8', 'A1.11', 'A2.31', 'A2.32', 'A2.33', 'A3.2', 'A6.2'], async () => {
    const { page } = await openBrowser()
    for (const login of ['/login', '/admin/login']) {
      await visit(page, login)
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
      assert.deepEqual(await links.allInnerTexts(), ['Login'])
      await page.getByLabel('Email').waitFor()
    }
    const password = page.getByLabel(/^Password/)
    assert.equal(await password.getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Show or hide password' }).click()
    assert.equal(await password.getAttribute('type'), 'text')
    await page.getByRole('button', { name: 'Show or hide password' }).click()
    assert.equal(await password.getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Forgot password' }).click()
    await page.getByRole('heading', { name: 'Forgot password', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Send OTP' }).waitFor()
  })

  proves('A7.3', async () => {
    const person = await makeStaff()
    const visitor = await makeVisitor('admin')
    const wrong = await visitor.post('/admin/login', {
      email: person.email,
      password: 'another one',
    })
    assert.deepEqual([wrong.status, wrong.json.success], [422, false])
    const right = await visitor.post('/admin/login', {
      email: person.email,
      password: testPassword,
    })
    assert.deepEqual([right.status, right.json.success], [200, true])
    assert.equal((await visitor.page('/admin')).json.component, 'admin/dashboard')
  })
})

test.group('Dashboard of staff', (group) => {
  const stage = stageOf(group, () => makeStaff('administrator', { title: 'Harbour master' }))

  proves(['A1.1', 'A2.34', 'A2.35', 'A2.36', 'A3.1'], async () => {
    await visit(stage.page, '/admin')
    const { page, person } = stage
    const table = page.getByRole('table', { name: 'Signed-in user' })
    const heads = await table.getByRole('columnheader').allInnerTexts()
    assert.deepEqual(heads.filter(Boolean), ['Name', 'Title', 'Email', 'Role'])
    const rows = table.locator('tbody').getByRole('row')
    assert.equal(await rows.count(), 1)
    const words = await rows.innerText()
    for (const part of [person.name, 'Harbour master', person.email, 'Administrator', 'Edit']) {
      assert.ok(words.includes(part), part)
    }
    const { json } = await (await signIn(person)).page('/admin')
    const { id, name, title, email, role } = person
    const user = json.props!.user as Record<string, unknown>
    assert.deepEqual(
      { id: user.id, name: user.name, title: user.title, email: user.email, role: user.role },
      { id, name, title, email, role }
    )
    await page.getByRole('button', { name: 'Add user' }).click()
    await page.waitForURL('**/admin/staff/list?add=1')
    await visit(page, '/admin')
    await page.getByRole('table').getByRole('link', { name: 'Edit' }).click()
    await page.waitForURL(`**/admin/staff/list?edit=${person.id}`)
  })
})
