/// <reference lib="dom" />
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { waitForHydration, waitForToast, visit } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { uniqueName } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page, Request } from 'playwright-core'
import { proves } from './promise.js'
import { stageOf } from './stage.js'

function visitsOf(page: Page, path: string): Request[] {
  const all: Request[] = []
  page.on('request', (one) => {
    if (new URL(one.url()).pathname === path && one.headers()['x-inertia']) all.push(one)
  })
  return all
}

const areas = [
  ['customer', '', 'Vault (Storage Service)'],
  ['staff', '/admin', 'Vault'],
] as const

for (const [area, prefix, entry] of areas) {
  test.group(`Visits of the ${area} area`, (group) => {
    const stage = stageOf(group, () => (prefix ? makeStaff() : makeCustomer()))
    const link = () =>
      stage.page
        .getByRole('navigation', { name: 'Main' })
        .getByRole('link', { name: new RegExp(`^${RegExp.escape(entry)}`) })
    const list = `${prefix}/vault/list`

    const marked = async () => {
      const { page } = stage
      await visit(page, prefix || '/')
      const seen = visitsOf(page, list)
      await link().click()
      await page.waitForURL(`**${list}`)
      const headers = seen[0].headers()
      assert.equal(headers['x-inertia'], 'true')
      assert.ok(headers['x-inertia-version'])
      // The filter requests only a part of the page, and the request names this part.
      const part = page.waitForRequest((one) => Boolean(one.headers()['x-inertia-partial-data']))
      await page.getByRole('group', { name: 'Filter by status' }).getByRole('button').nth(1).click()
      const asked = (await part).headers()
      assert.match(asked['x-inertia-partial-data'], /vaults/)
      assert.ok(asked['x-inertia-partial-component'])
    }
    const forced = async () => {
      const { page, person } = stage
      const visitor = await signIn(person)
      const old = { 'x-inertia': 'true', 'x-inertia-version': 'an older one' }
      const answer = await visitor.get(list, old)
      assert.equal(answer.status, 409)
      assert.ok(answer.headers.get('x-inertia-location')?.endsWith(list))
      await visit(page, prefix || '/')
      await page.evaluate(() => void ((window as { mark?: number }).mark = 1))
      await page.route(`**${list}`, (route) =>
        route.request().headers()['x-inertia']
          ? route.fulfill({ status: 409, headers: { 'x-inertia-location': list } })
          : route.continue()
      )
      await link().click()
      await page.waitForURL(`**${list}`)
      await waitForHydration(page)
      // A full page load has a new `window`.
      assert.equal(await page.evaluate(() => (window as { mark?: number }).mark), undefined)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    const ahead = async () => {
      const { page } = stage
      await visit(page, prefix || '/')
      const seen = visitsOf(page, list)
      const fetched = page.waitForResponse(`**${list}`)
      const sent = page.waitForRequest(`**${list}`)
      const started = Date.now()
      await link().hover()
      await sent
      assert.ok(Date.now() - started >= 75)
      assert.equal(seen[0].headers().purpose, 'prefetch')
      await (await fetched).finished()
      // A prefetched page is shown without another request, as long as it is cached.
      await link().click()
      await page.waitForURL(`**${list}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      assert.equal(seen.filter((one) => one.headers().purpose !== 'prefetch').length, 0)
      // The cache expires after the page's configured time (30 s).
      await page.evaluate(() => scrollTo(0, 0))
      await page.goBack()
      await page.clock.install()
      await page.clock.fastForward(31_000)
      const before = seen.length
      await page.mouse.move(800, 600)
      await link().hover()
      await page.clock.runFor(200)
      await eventually(() => assert.ok(seen.length > before))
    }
    const progress = async () => {
      const { page } = stage
      await visit(page, prefix || '/')
      await page.route(`**${list}`, async (route) => {
        await page.locator('#nprogress').waitFor({ state: 'attached' })
        await route.continue()
      })
      const started = Date.now()
      await link().click()
      await page.locator('#nprogress').waitFor({ state: 'attached' })
      assert.ok(Date.now() - started >= 250)
      await page.waitForURL(`**${list}`)
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
    if (prefix) {
      proves('A9.12', async () => ahead())
      proves('A7.1', async () => marked())
      proves('A7.2', async () => forced())
    } else {
      proves('C9.18', async () => {
        await progress()
        await ahead()
      })
      proves('C7.1', async () => marked())
      proves('C7.2', async () => forced())
    }
  })
}

test.group('Failed and prefetched visits', (group) => {
  const stage = stageOf(group, () => makeCustomer())
  const menu = (name: string) =>
    stage.page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })

  proves('C7.3', async () => {
    const { page } = stage
    for (const close of ['Escape', 'click']) {
      await visit(page, '/')
      await page.route('**/vault/list', (route) =>
        route.fulfill({ contentType: 'text/html', body: '<h1>No page of ours</h1>' })
      )
      await menu('Vault (Storage Service)').click()
      const dialog = page.locator('dialog[open]')
      await dialog.waitFor()
      await dialog.frameLocator('iframe').getByText('No page of ours').waitFor()
      const box = (await dialog.boundingBox())!
      const { width, height } = page.viewportSize()!
      assert.ok(box.width > width * 0.85 && box.height > height * 0.85, JSON.stringify(box))
      if (close === 'Escape') await page.keyboard.press('Escape')
      else await page.mouse.click(3, 3)
      await dialog.waitFor({ state: 'detached' })
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })

  proves('A9.15', async () => {
    const { page } = stage
    await visit(page, '/profile')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await page.locator('.Toastify__toast.Toastify__toast-theme--light').first().waitFor()
  })

  proves('C8.3', async () => {
    const { page, context } = stage
    await visit(page, '/')
    await context.setOffline(true)
    await menu('Vault (Storage Service)').click()
    await waitForToast(page, /^No network connection/)
    await context.setOffline(false)
  })

  proves(['C7.4', 'C8.2'], async () => {
    const visitor = await signIn(stage.person)
    for (const [path, body] of [
      ['/project/store', {}],
      ['/vault/store', { name: '' }],
      ['/email/store', { email: '' }],
    ] as const) {
      const { json } = await visitor.post(path, body)
      assert.deepEqual([json.success, typeof json.message], [false, 'string'], path)
    }
    const instance = await makeInstance(stage.person)
    const project = await makeProject(instance)
    const change = { id: project.id, status: 'inactive' }
    const { json } = await visitor.post('/project/change-status', change)
    assert.deepEqual([json.success, json.message], [true, 'Project status changed.'])
    const read = await visitor.get('/project/list')
    assert.equal(read.json.success, true)
  })

  proves('C5.28', async () => {
    const { page, context } = stage
    const staff = await makeStaff('administrator')
    const instance = await makeInstance(stage.person, {
      name: uniqueName('moored'),
      status: 'stopped',
    })
    const { cookies, base } = await signIn(staff)
    const kept = [...cookies].filter(([name]) => name.startsWith('berth-'))
    await context.addCookies(kept.map(([name, value]) => ({ name, value, url: base })))
    await visit(page, `/admin/server-instance/${instance.id}`)
    await page.getByRole('button', { name: 'Update', exact: true }).click()
    const form = page.getByRole('dialog', { name: `Update ${instance.name}` })
    await form.getByLabel(/to confirm/).fill(`${instance.name}x`)
    await form.getByRole('button', { name: 'Update' }).click()
    await form
      .getByText('Instance name does not match. Please type the correct instance name to confirm.')
      .first()
      .waitFor()
  })
})
