import {
  openBrowser,
  takeScreenshot,
  visit,
  openPageAs,
  searchList,
  openDashboardAs,
} from '#tests/support/browser'
import { uniqueName } from '#tests/support/hosts'
import { makeInstance } from '#tests/support/instances'
import { listMailsTo } from '#tests/support/outbox_mails'
import { freshEmail, makeCustomer, makeStaff, testPassword } from '#tests/support/people'
import { test } from '@japa/runner'

test.group('Members of an account', () => {
  test('an owner invites a guest, who joins, switches accounts and sees what the role allows', async ({
    assert,
  }) => {
    const owner = await makeCustomer({ name: 'Nasrin Akhter Chowdhury of Riverside Trading' })
    const guest = await makeCustomer({ name: 'Karim Uddin' })
    const instance = await makeInstance(owner)

    const owners = await openDashboardAs(owner)
    await owners.getByRole('button', { name: owner.name }).click()
    await owners.getByRole('menuitem', { name: 'Members' }).click()
    await owners.getByRole('heading', { name: 'Members', level: 1 }).waitFor()
    await owners.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = owners.getByRole('dialog')
    await dialog.getByLabel('Email').fill('not an address')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await dialog.getByText('Enter a valid email address.').waitFor()
    await takeScreenshot(owners, 'members-invite-wrong')
    await dialog.getByLabel('Email').fill(guest.email)
    await dialog.getByLabel('Role').selectOption('developer')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await owners.getByText(`${guest.email} · Developer`).waitFor()
    await takeScreenshot(owners, 'members-invited')

    const [mail] = await listMailsTo(guest.email)
    const link = /\/invitation\/[0-9a-f-]+/.exec(mail.text)![0]
    const { page: guests } = await openBrowser({ width: 390, scheme: 'dark' })
    await visit(guests, link)
    await guests.getByRole('heading', { name: 'Login' }).waitFor()
    await guests.getByLabel('Email').fill(guest.email)
    await guests.getByLabel(/^Password/).fill(testPassword)
    await guests.getByRole('main').getByRole('button', { name: 'Login', exact: true }).click()
    await guests.getByRole('heading', { name: `Join ${owner.name}?` }).waitFor()
    await takeScreenshot(guests, 'invitation-phone-dark')
    await guests.getByRole('button', { name: 'Accept' }).click()
    await guests.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await visit(guests, '/server-instance/list')
    await guests.getByText(instance.name).first().waitFor()
    await guests.getByRole('button', { name: guest.name }).click()
    await takeScreenshot(guests, 'switcher-phone-dark')
    await guests.getByRole('menuitem', { name: `${guest.name} · Owner` }).click()
    await guests.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await visit(guests, '/server-instance/list')
    assert.equal(await guests.getByText(instance.name).count(), 0)

    await visit(owners, '/profile/members')
    await owners.getByLabel(`Role of ${guest.name}`).selectOption('billing')
    await owners.getByText(`${guest.name} now has the role billing.`).first().waitFor()
    await visit(guests, '/')
    await guests.getByRole('button', { name: guest.name }).click()
    await guests.getByRole('menuitem', { name: `${owner.name} · Billing` }).click()
    await guests.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await guests.getByRole('button', { name: 'Open menu' }).click()
    const closed = guests.getByRole('link', { name: 'File Manager' })
    assert.equal(
      await closed.getAttribute('aria-description'),
      'Your role in this account is Billing: bills and payments only.'
    )
    await takeScreenshot(guests, 'menu-billing-member-phone-dark')
    await visit(guests, '/server-instance/list')
    await guests.getByText('Your role in this account is Billing').first().waitFor()
    await takeScreenshot(guests, 'refused-billing-member-phone-dark')

    await owners.getByRole('button', { name: `Remove ${guest.name}` }).click()
    await takeScreenshot(owners, 'members-remove')
    await owners.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await owners.getByText(`${guest.name} is no longer a member.`).first().waitFor()
  })
})

test.group('Customer pages for staff', () => {
  test('staff find a customer by a part of the email address, suspend with a reason and resume', async ({
    assert,
  }) => {
    const owner = await makeCustomer({
      name: `Md. Abdur Rahman and Sons Textile Export ${uniqueName('no')} (Private) Limited`,
      email: freshEmail('a-rather-long-address-of-the-accounting-department'),
    })
    const instance = await makeInstance(owner, 'stopped')
    const staff = await makeStaff('administrator')
    const page = await openPageAs(staff)
    await visit(page, '/admin/customer/list')
    await searchList(page, owner.email.slice(12, 60))
    await page.getByRole('link', { name: owner.name }).waitFor()
    await takeScreenshot(page, 'customers')
    await page.getByRole('link', { name: owner.name }).click()
    await page.getByRole('heading', { name: owner.name, level: 1 }).waitFor()
    await page.getByRole('link', { name: instance.name }).waitFor()
    await takeScreenshot(page, 'customer')
    await page.getByRole('tab', { name: /Notes/ }).click()
    await page.getByLabel('Add a note').fill('Pays by bKash, calls on Sundays.')
    await page.getByRole('button', { name: 'Save note' }).click()
    await page.getByRole('listitem').getByText('Pays by bKash, calls on Sundays.').waitFor()
    await takeScreenshot(page, 'customer-notes')
    await page.getByRole('button', { name: 'Suspend' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Suspend customer' }).click()
    await dialog.getByText('Enter the reason.').waitFor()
    await dialog.getByLabel('Reason').fill('Bill 7 is overdue since August.')
    await takeScreenshot(page, 'customer-suspend')
    await dialog.getByRole('button', { name: 'Suspend customer' }).click()
    await page.getByText('Bill 7 is overdue since August.').first().waitFor()
    await takeScreenshot(page, 'customer-suspended')

    const owners = await openDashboardAs(owner, { width: 390, scheme: 'dark' })
    await owners.getByText('This account is suspended').waitFor()
    await takeScreenshot(owners, 'dashboard-suspended-phone-dark')
    await visit(owners, `/server-instance/${instance.id}`)
    await owners.getByText('The account is suspended').first().waitFor()

    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
    await page.getByText(`${owner.name} is active again.`).first().waitFor()
    await instance.refresh()
    assert.equal(instance.status, 'stopped')
  })
})
