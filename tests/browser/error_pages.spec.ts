/// <reference lib="dom" />
import Member from '#accounts/models/member'
import { allModules } from '#core/modules'
import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import { waitForHydration, openBrowser, takeScreenshots, openPageAs } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { findFreePort } from '#tests/support/find_free_port'
import { freshEmail, makeCustomer, signIn } from '#tests/support/people'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { connect, createServer, type Socket } from 'node:net'
import type { Page } from 'playwright-core'

interface Shown {
  status: number
  title: string
  words: RegExp
  /** Label of the link to the next step. */
  action: string
}

/**
 * Checks what an error page shows: the status number, title and text, the link to the next step, and the menu of the
 * signed-in person.
 */
async function shows(page: Page, name: string, { status, title, words, action }: Shown) {
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  await waitForHydration(page)
  const main = page.getByRole('main')
  await main.getByText(String(status), { exact: true }).waitFor()
  await main.getByText(words).waitFor()
  const next = main.getByRole('link', { name: action, exact: true })
  assert.ok(await next.getAttribute('href'))
  const menu = page.getByRole('navigation', { name: 'Main' })
  await menu.getByRole('link', { name: 'Dashboard', exact: true }).waitFor()
  await takeScreenshots(page, `error-${name}`)
  await assertAccessibleInBothColorSchemes(page, name)
}

/** Submits a form the way a browser does without JavaScript. */
async function sendForm(page: Page, path: string, fields: Record<string, string>) {
  await Promise.all([
    page.waitForEvent('load'),
    page.evaluate(
      ([to, values]) => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action: to })
        for (const [name, value] of Object.entries(values)) {
          form.append(Object.assign(document.createElement('input'), { name, value }))
        }
        document.body.append(form)
        form.submit()
      },
      [path, fields] as const
    ),
  ])
}

async function tokenOf(page: Page): Promise<string> {
  const cookies = await page.context().cookies()
  return decodeURIComponent(cookies.find(({ name }) => name === 'XSRF-TOKEN')!.value)
}

test.group('Error pages', () => {
  test('explain the error and the next step, and keep the menu: 404, 403, 419, 429, 500', async () => {
    const [owner, person] = [await makeCustomer(), await makeCustomer()]
    await Member.query().where('personId', person.id).delete()
    await Member.create({ accountId: owner.id, personId: person.id, role: 'billing' })
    const page = await openPageAs(person)

    assert.equal((await page.goto('/no-such-page'))!.status(), 404)
    await shows(page, '404', {
      status: 404,
      title: 'Page not found',
      action: 'Go to the dashboard',
      words: /This page does not exist or was deleted/,
    })

    assert.equal((await page.goto('/server-instance/list'))!.status(), 403)
    await shows(page, '403', {
      status: 403,
      title: 'You do not have access to this page',
      action: 'Go to the dashboard',
      words: /Your role in this account is Billing/,
    })

    await page.goto('/profile')
    await sendForm(page, '/profile/update', { name: 'Forged' })
    await shows(page, '419', {
      status: 419,
      title: 'This page is out of date',
      action: 'Reload page',
      words: /nothing was changed/,
    })
    await page.getByRole('link', { name: 'Reload page' }).click()
    await page.waitForURL('**/profile')
    await person.refresh()
    assert.notEqual(person.name, 'Forged')

    const wrong = { email: freshEmail(), password: 'not this one' }
    const visitor = await signIn(person)
    for (let tries = 0; tries < 11; tries++) await visitor.post('/login', wrong)
    await page.goto('/profile')
    const token = await tokenOf(page)
    await page.route('**/login', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-xsrf-token': token } })
    )
    await sendForm(page, '/login', wrong)
    await shows(page, '429', {
      status: 429,
      title: 'Too many requests',
      action: 'Try again',
      words: /Too many attempts. Try again in/,
    })

    const tile = allModules().flatMap(({ dashboard }) => dashboard ?? [])[0]
    const { count } = tile
    tile.count = () => Promise.reject(new Error('A fault of ours, made for a test'))
    try {
      assert.equal((await page.goto('/'))!.status(), 500)
      await shows(page, '500', {
        status: 500,
        title: 'Server error',
        action: 'Try again',
        words: /went wrong on our side.*send support this number: \S{8,}/,
      })
    } finally {
      tile.count = count
    }
  })

  test('while the database is down, pages say so and recover by themselves, and calls get 503', async () => {
    const away = await consoleThatCanLose()
    const { context, page } = await openBrowser()
    try {
      await page.goto(`${away.url}/login`)
      await waitForHydration(page)
      away.cut()
      const answer = await fetch(`${away.url}/login`, { headers: { accept: 'application/json' } })
      const { code } = (await answer.json()) as { code: string }
      assert.deepEqual([answer.status, code], [503, 'maintenance'])
      assert.equal(answer.headers.get('retry-after'), '10')

      // The maintenance page also appears after a click on a link, without a page load.
      await page.getByRole('link', { name: 'Services' }).click()
      const title = page.getByRole('heading', { name: 'Back in a moment', level: 1 })
      await title.waitFor()
      await page.getByText('Your instances, sites and files are not affected').waitFor()
      // Stops the page's timers, so that the page does not reload during the checks.
      await page.evaluate(() => {
        for (let id = Number(setTimeout(() => {})); id > 0; id--) clearTimeout(id)
      })
      await takeScreenshots(page, 'error-maintenance')
      await assertAccessibleInBothColorSchemes(page, 'maintenance')
      await Promise.all([
        page.waitForEvent('load'),
        page.getByRole('link', { name: 'Try now' }).click(),
      ])
      await title.waitFor()
      away.mend()
      await page.getByRole('heading', { name: 'Services', level: 1 }).waitFor()
    } finally {
      await context.close()
      await away.stop()
    }
  })
})

/** Starts a separate console on the tests' database. A proxy between them can cut the connection. */
async function consoleThatCanLose() {
  const database = new URL(process.env.DATABASE_URL!)
  const open = new Set<Socket>()
  let isCut = false
  const way = createServer((client) => {
    if (isCut) return client.destroy()
    const server = connect(Number(database.port || 5432), database.hostname)
    for (const socket of [client, server]) {
      open.add(socket)
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket)
          client.destroy()
          server.destroy()
        })
    }
    client.pipe(server).pipe(client)
  })
  await new Promise<void>((resolve) => way.listen(0, '127.0.0.1', resolve))
  const through = new URL(database)
  through.hostname = '127.0.0.1'
  through.port = String((way.address() as { port: number }).port)
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['--import', '@poppinss/ts-exec', 'bin/role.ts', 'web'], {
    cwd: app.makePath(),
    env: { ...process.env, PORT: String(port), APP_URL: url, DATABASE_URL: through.href },
    stdio: 'ignore',
  })
  const stop = async () => {
    child.kill()
    for (const socket of open) socket.destroy()
    await new Promise((resolve) => way.close(resolve))
  }
  await eventually(async () => {
    const answer = await fetch(`${url}/health`).catch(() => null)
    if (!answer?.ok) throw new Error('not up yet')
  }, 300_000).catch(async (error) => {
    await stop()
    throw error
  })
  return {
    url,
    stop,
    cut() {
      isCut = true
      for (const socket of open) socket.destroy()
    },
    mend: () => void (isCut = false),
  }
}
