/// <reference lib="dom" />
import { waitForHydration, openBrowser } from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff, testPassword } from '#tests/support/people'
import { test } from '@japa/runner'
import type { Page } from 'playwright-core'

/** Delays the page's scripts. The returned function lets them load. */
async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/*.js', async (route) => {
    await promise
    await route.continue().catch(() => {})
  })
  return resolve
}

test.group('A page whose scripts have not loaded', (group) => {
  const csrf = process.env.CSRF
  group.setup(() => {
    process.env.CSRF = 'on'
    return () => {
      if (csrf === undefined) delete process.env.CSRF
      else process.env.CSRF = csrf
    }
  })

  test('Enter signs the person in, and no URL contains a password', async ({ assert }) => {
    const people = [
      { person: await makeCustomer(), prefix: '' },
      { person: await makeStaff('support'), prefix: '/admin' },
    ]
    for (const { person, prefix } of people) {
      const { context, page } = await openBrowser()
      const addresses: string[] = []
      page.on('request', (request) => addresses.push(decodeURIComponent(request.url())))
      await holdScripts(page)
      await page.goto(`${prefix}/login`, { waitUntil: 'commit' })
      await page.getByLabel('Email').fill(person.email)
      await page.getByLabel(/^Password/).fill('not the password')
      await page.keyboard.press('Enter')
      await page.getByText('The email or password is incorrect.').first().waitFor()
      assert.equal(new URL(page.url()).pathname, `${prefix}/login`)
      assert.equal(await page.getByLabel('Email').inputValue(), person.email)

      await page.getByLabel(/^Password/).fill(testPassword)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
      for (const secret of ['not the password', testPassword, person.email]) {
        assert.isFalse(addresses.some((address) => address.includes(secret)))
      }
      await context.close()
    }
  })

  test('the form sends an OTP to the email address', async () => {
    const { page } = await openBrowser()
    await holdScripts(page)
    await page.goto('/login?action=get-started', { waitUntil: 'commit' })
    await page.getByLabel('Email').fill((await makeCustomer()).email)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Verify OTP' }).waitFor()
  })

  test('typed text stays, and clicks take effect', async ({ assert }) => {
    const person = await makeCustomer()
    const { page } = await openBrowser()
    const go = await holdScripts(page)
    await page.goto('/login', { waitUntil: 'commit' })
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel(/^Password/).fill(testPassword)
    await page.getByRole('button', { name: 'Forgot Password' }).click()
    go()
    await waitForHydration(page)
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    assert.equal(await page.getByLabel('Email').inputValue(), person.email)
    await page.getByRole('button', { name: 'Already Has Account? Login' }).click()
    await page.getByRole('main').getByRole('button', { name: 'Login', exact: true }).click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  })

  test('a form that needs scripts is submitted when they have loaded', async ({ assert }) => {
    const person = await makeCustomer()
    const { page } = await openBrowser()
    await page.goto('/login')
    await waitForHydration(page)
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel(/^Password/).fill(testPassword)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    const go = await holdScripts(page)
    await page.goto('/profile', { waitUntil: 'commit' })
    const forms = page.locator('form')
    await forms.first().waitFor()
    for (const form of await forms.all()) assert.equal(await form.getAttribute('method'), 'post')
    const name = page.locator('input[name="name"]')
    await name.fill('Typed Early')
    await name.press('Enter')
    assert.equal(new URL(page.url()).search, '')
    go()
    await waitForHydration(page)
    await eventually(async () => {
      await person.refresh()
      assert.equal(person.name, 'Typed Early')
    })
    assert.equal(await name.inputValue(), 'Typed Early')
  })
})
