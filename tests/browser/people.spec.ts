import Person from '#identity/models/person'
import { releaseVersion } from '#packages/telemetry/release_version'
import {
  waitForHydration,
  openBrowser,
  takeScreenshot,
  signInThroughPage,
  waitForToast,
  visit,
  openDashboardAs,
} from '#tests/support/browser'
import { loadCodeSentTo, listMailsTo } from '#tests/support/outbox_mails'
import { freshEmail, makeCustomer, makeStaff, testPassword } from '#tests/support/people'
import { test } from '@japa/runner'

const password = 'another quay at dawn'

test.group('People: signing in', () => {
  test('a visitor registers from the landing page and reaches the dashboard', async ({
    assert,
  }) => {
    const { page } = await openBrowser()
    const email = freshEmail('new')
    await visit(page, '/')
    await takeScreenshot(page, 'landing')
    await page.getByRole('link', { name: 'Get Started' }).click()
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    await takeScreenshot(page, 'login-send-otp')
    await page.getByLabel('Email').fill(email)
    await page.getByRole('button', { name: 'Send OTP' }).click()
    await page.getByRole('heading', { name: 'Verify OTP' }).waitFor()
    await page.getByText(/^Send OTP again in \d+ s$/).waitFor()
    await takeScreenshot(page, 'login-match-otp')

    // After a reload, the form shows the same step. A wrong code is reported at its field.
    await page.reload()
    await waitForHydration(page)
    const otp = await loadCodeSentTo(email)
    const fill = async (code: string) => {
      await page.getByLabel('OTP').fill(code)
      await page.getByLabel(/^Password/).fill(password)
      await page.getByLabel('Confirm Password').fill(password)
      await page.getByRole('button', { name: 'Verify OTP' }).click()
    }
    await fill(String((Number(otp) + 1) % 1_000_000).padStart(6, '0'))
    await page.getByRole('main').getByText('This OTP is incorrect.').waitFor()
    await takeScreenshot(page, 'login-wrong-otp')
    await fill(otp)
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    for (const label of ['Total Servers', 'Total Projects', 'Total Emails', 'Total Vaults']) {
      assert.equal(await page.getByRole('main').getByText(label).count(), 1)
    }
    await takeScreenshot(page, 'dashboard')
  })

  test('a person signs in by password, and a wrong password keeps the page', async ({ assert }) => {
    const person = await makeCustomer()
    const { page } = await openBrowser()
    await visit(page, '/')
    await page.getByRole('link', { name: 'Sign In' }).click()
    await page.getByRole('heading', { name: 'Login' }).waitFor()
    assert.equal(await page.getByRole('main').getByText(releaseVersion).count(), 1)
    await takeScreenshot(page, 'login')
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel(/^Password/).fill('not the password')
    const login = page.getByRole('main').getByRole('button', { name: 'Login', exact: true })
    await login.click()
    await page.getByRole('main').getByText('The email or password is incorrect.').waitFor()
    assert.equal(await page.getByLabel('Email').inputValue(), person.email)
    await page.getByLabel(/^Password/).fill(testPassword)
    await login.click()
    await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
  })

  test('links between the modes of the sign-in page work as specified', async () => {
    const { page } = await openBrowser({ width: 390, scheme: 'dark' })
    await visit(page, '/login')
    await takeScreenshot(page, 'login-phone-dark')
    await page.getByRole('button', { name: 'Forgot Password' }).click()
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    await page.getByText('Enter Mail and Click Send OTP').waitFor()
    await page.getByRole('button', { name: 'Already Has Account? Login' }).click()
    await page.getByRole('heading', { name: 'Login' }).waitFor()
    await page.getByRole('button', { name: 'Create New Account' }).click()
    await page.getByRole('heading', { name: 'Register' }).waitFor()
    await page.getByRole('link', { name: 'Services' }).click()
    await page.getByRole('heading', { name: 'Services', level: 1 }).waitFor()
    await takeScreenshot(page, 'services-phone-dark')
  })

  test('the mode check-mail continues with Login for a known email address, and with Register for an unknown address', async () => {
    const person = await makeCustomer()
    const { page } = await openBrowser()
    const look = async (email: string) => {
      await visit(page, '/login?action=check-mail')
      await page.getByLabel('Email').fill(email)
      await page.getByRole('button', { name: 'Continue', exact: true }).click()
    }
    await look(person.email)
    await page.getByRole('heading', { name: 'Login' }).waitFor()
    await look(freshEmail())
    await page.getByRole('heading', { name: 'Register' }).waitFor()
  })
})

test.group('People: profile', () => {
  test('a person changes name, theme, email and password, and signs out devices', async ({
    assert,
  }) => {
    const person = await makeCustomer()
    const page = await openDashboardAs(person)
    await visit(page, '/profile')
    await page.getByLabel('Name').fill('Ada of the Quay')
    await page.getByLabel('Theme', { exact: true }).selectOption('dark')
    await page.getByRole('button', { name: 'Save profile' }).click()
    await waitForToast(page, 'Profile saved.')
    await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
    await takeScreenshot(page, 'profile-dark')

    await page.getByRole('tab', { name: 'Sign-in' }).click()
    const email = freshEmail('moved')
    await page.getByLabel('New email').fill(email)
    await page.getByLabel('Current password').first().fill(testPassword)
    await page.getByRole('button', { name: 'Send OTP' }).click()
    await page.getByLabel('OTP').waitFor()
    await takeScreenshot(page, 'profile-sign-in')
    await page.getByLabel('OTP').fill(await loadCodeSentTo(email))
    await page.getByRole('button', { name: 'Change email' }).click()
    await page.getByText(email).first().waitFor()
    await page.getByLabel('New email').waitFor()

    await page.getByRole('tab', { name: 'Activity' }).click()
    await page.getByText(`Changed the email to ${email}`).waitFor()
    await takeScreenshot(page, 'profile-activity')

    await page.getByRole('tab', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Login' }).waitFor()
    await person.refresh()
    assert.equal(person.name, 'Ada of the Quay')
    assert.equal(person.email, email)
  })
})

test.group('People: staff', () => {
  test('an administrator invites staff, who set their password with an OTP', async ({ assert }) => {
    const admin = await makeStaff('administrator')
    const email = freshEmail('mate')
    const office = await openBrowser()
    await visit(office.page, '/admin/login')
    await takeScreenshot(office.page, 'admin-login')
    await office.page.getByLabel('Email').fill(admin.email)
    const secret = office.page.getByLabel(/^Password/)
    await secret.fill(testPassword)
    await office.page.getByRole('button', { name: 'Show or hide password' }).click()
    assert.equal(await secret.getAttribute('type'), 'text')
    await office.page.getByRole('main').getByRole('button', { name: 'Login', exact: true }).click()
    await office.page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await office.page.getByRole('cell', { name: admin.email }).waitFor()
    await takeScreenshot(office.page, 'admin-dashboard')
    await office.page.getByRole('button', { name: 'Add user' }).click()
    const dialog = office.page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('First Mate')
    await dialog.getByLabel('Email').fill(email)
    await takeScreenshot(office.page, 'admin-staff-invite')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await waitForToast(office.page, `Invitation sent to ${email}.`)
    await office.page.getByRole('cell', { name: email }).waitFor()
    await takeScreenshot(office.page, 'admin-staff')

    const home = await openBrowser({ width: 390 })
    const [invitation] = await listMailsTo(email)
    const link = new URL(/http\S+action=invited/.exec(invitation.text)![0])
    await visit(home.page, link.pathname + link.search)
    await home.page.getByLabel('Email').fill(email)
    await home.page.getByRole('button', { name: 'Send OTP' }).click()
    await home.page.getByLabel('OTP').waitFor()
    await home.page.getByLabel('OTP').fill(await loadCodeSentTo(email))
    await home.page.getByLabel(/^Password/).fill(password)
    await home.page.getByLabel('Confirm Password').fill(password)
    await home.page.getByRole('button', { name: 'Verify OTP' }).click()
    await home.page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    const add = home.page.getByRole('button', { name: 'Add user' })
    assert.equal(await add.getAttribute('aria-disabled'), 'true')
    assert.equal(
      await add.getAttribute('aria-description'),
      'Only administrators can manage staff.'
    )
    await takeScreenshot(home.page, 'admin-dashboard-support-phone')

    await visit(office.page, '/admin/audit')
    await office.page.getByText(`Invited ${email} to the staff`).first().waitFor()
    await takeScreenshot(office.page, 'admin-audit')

    await visit(office.page, '/admin/staff/list')
    const row = office.page.getByRole('row').filter({ hasText: email })
    await row.getByRole('button', { name: 'Disable' }).click()
    await office.page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
    await row.getByText('Disabled').waitFor()
    await home.page.goto('/admin')
    await home.page.getByRole('heading', { name: 'Login' }).waitFor()
    assert.isNotNull((await Person.findByAddress('staff', email))?.disabledAt)
    await Promise.all([office.context.close(), home.context.close()])
  })
})

test.group('People: two areas in one browser', () => {
  test('a customer and a staff member can be signed in at the same time', async ({ assert }) => {
    const [customer, staff] = [await makeCustomer(), await makeStaff()]
    const { context, page } = await openBrowser()
    await signInThroughPage(page, customer)
    const office = await context.newPage()
    await signInThroughPage(office, staff)
    await visit(page, '/profile')
    await visit(office, '/admin/profile')
    for (const [tab, name] of [
      [page, 'Customer side'],
      [office, 'Office side'],
      [page, 'Customer again'],
    ] as const) {
      await tab.getByLabel('Name').fill(name)
      await tab.getByRole('button', { name: 'Save profile' }).click()
      await waitForToast(tab, 'Profile saved.')
    }
    await Promise.all([customer.refresh(), staff.refresh()])
    assert.equal(staff.name, 'Office side')
  })
})
