import { sendMessage } from '#support/actions/send_message'
import { openBrowser, picture, pictures, signInThroughPage, visit } from '#tests/support/browser'
import { makeInstance } from '#tests/support/instances'
import { actorOf, makeCustomer, makeStaff } from '#tests/support/people'
import { serviceUp } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import { Buffer } from 'node:buffer'

/** A picture of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64'
)

test.group('Live support', (group) => {
  group.setup(async () => void (await serviceUp()))

  test('a customer on a phone and staff talk, with files, through a reload and a broken network', async ({
    assert,
  }) => {
    const customer = await makeCustomer({ name: 'Nasrin Akhter' })
    const staff = await makeStaff('support', { name: 'Rafiq of Support' })
    const instance = await makeInstance(customer, 'stopped')
    const [phone, desk] = [await openBrowser({ width: 390, scheme: 'dark' }), await openBrowser()]
    await signInThroughPage(phone.page, customer)
    await signInThroughPage(desk.page, staff)

    // Asked about the instance that the page shows.
    await visit(phone.page, `/server-instance/${instance.id}`)
    await phone.page.getByRole('button', { name: 'Live support', exact: true }).click()
    const panel = phone.page.getByRole('dialog', { name: 'Live support' })
    const input = panel.getByRole('textbox', { name: 'Message' })
    assert.equal(await input.evaluate((element) => getComputedStyle(element).fontSize), '16px')
    await panel.getByLabel('About this instance').check()
    await input.fill('It is <b>slow</b> + 100% busy')
    await input.press('Shift+Enter')
    await input.pressSequentially('since noon')
    await input.press('Enter')
    await panel.getByRole('article').getByText('It is <b>slow</b> + 100% busy').waitFor()
    assert.equal(await panel.locator('article b').count(), 0)
    await picture(phone.page, 'support-customer-phone-dark', false)

    // The badge of the menu comes while another page is shown.
    await desk.page.getByRole('link', { name: /Live Support.*new/ }).waitFor()
    await desk.page.getByRole('link', { name: /Live Support/ }).click()
    const clients = desk.page.getByRole('region', { name: 'Clients' })
    await clients.getByLabel('Search clients and messages').fill(String(customer.id))
    await clients.getByRole('button', { name: new RegExp(`${customer.name}.*unread`, 's') }).click()
    const log = desk.page.getByRole('log', { name: 'Messages' })
    await log.getByText('since noon').waitFor()
    await log.getByRole('link', { name: `About instance ${instance.id}` }).waitFor()
    await desk.page
      .getByRole('complementary', { name: 'Client' })
      .getByText(instance.name)
      .waitFor()
    await panel.getByText('Read').waitFor()

    // Typing is shown both ways, and ends by itself or with the message.
    const answer = desk.page.getByRole('textbox', { name: 'Message', exact: true })
    await answer.pressSequentially('Let me look')
    await panel.getByText('Support is typing...').waitFor()
    await input.pressSequentially('Thanks')
    await desk.page.getByText(`${customer.name} is typing...`).waitFor()
    await desk.page.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByText('Let me look').waitFor()

    // What is typed is there after a reload.
    await phone.page.reload()
    await panel.getByText('Let me look').waitFor()
    assert.equal(await input.inputValue(), 'Thanks')

    // Without a network it stays, says so, and goes once, in order, when it is back.
    await phone.context.setOffline(true)
    await input.press('Enter')
    await panel.getByText('Not sent.').waitFor()
    await picture(phone.page, 'support-not-sent-phone-dark', false)
    await phone.context.setOffline(false)
    await panel.getByText('Not sent.').waitFor({ state: 'detached' })
    await log.getByText('Thanks', { exact: true }).waitFor()

    // Files: chosen, one taken out, sent, seen on the whole screen.
    await panel.locator('input[accept="image/*"]').setInputFiles([
      { name: 'one.png', mimeType: 'image/png', buffer: png },
      { name: 'two.png', mimeType: 'image/png', buffer: png },
    ])
    await panel.getByRole('button', { name: 'Remove two.png' }).click()
    await panel.locator('section').getByText('one.png').waitFor()
    await picture(phone.page, 'support-preview-phone-dark', false)
    await panel.getByRole('button', { name: 'Send', exact: true }).click()
    await log.getByRole('button', { name: 'Open one.jpg' }).waitFor()
    await desk.page.locator('input[accept*=".pdf"]').setInputFiles({
      name: 'guide.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF'),
    })
    await desk.page.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByRole('button', { name: 'Open guide.pdf' }).waitFor()
    await pictures(desk.page, 'support-staff', false)
    await log.getByRole('button', { name: 'Open guide.pdf' }).click()
    const viewer = desk.page.getByRole('dialog')
    await viewer.getByText('PDF', { exact: true }).waitFor()
    assert.equal(await viewer.getByLabel('Zoom', { exact: true }).innerText(), '50%')
    await viewer.getByRole('button', { name: 'Next' }).click()
    await viewer.getByRole('img', { name: 'one.jpg' }).waitFor()
    for (let step = 0; step < 5; step++) {
      await viewer.getByRole('button', { name: 'Zoom in' }).click()
    }
    assert.isTrue(await viewer.getByRole('button', { name: 'Zoom in' }).isDisabled())
    await picture(desk.page, 'support-viewer', false)
    await viewer.getByRole('button', { name: 'Close' }).click()

    // Closed, the bubble counts what comes; on a wide page it is a panel.
    await panel.getByRole('button', { name: 'Close live support' }).click()
    await sendMessage(await actorOf(staff), customer.id, { text: 'It is well again' })
    const bubble = phone.page.getByRole('button', { name: 'Live support, 1 unread' })
    await bubble.waitFor()
    await phone.page.setViewportSize({ width: 1280, height: 800 })
    await bubble.click()
    await panel.getByText('It is well again').waitFor()
    await pictures(phone.page, 'support-customer', false)
    await Promise.all([phone.context.close(), desk.context.close()])
  })

  test('staff note, answer with a saved reply, assign, close and find what was said', async () => {
    const customer = await makeCustomer({ name: 'Karim Uddin' })
    const staff = await makeStaff('support')
    const word = `barge${customer.id}`
    await sendMessage(await actorOf(customer), customer.id, { text: `Where is the ${word}?` })
    const { context, page } = await openBrowser()
    await signInThroughPage(page, staff)
    await visit(page, '/admin/live-support')
    await page.getByLabel('Search clients and messages').fill(word)
    await page.getByRole('list', { name: 'Messages found' }).getByRole('button').click()
    const side = page.getByRole('complementary', { name: 'Client' })
    await side.getByLabel('Add a note').fill('Asks each week.')
    await side.getByRole('button', { name: 'Keep note' }).click()
    await side.getByRole('listitem').getByText('Asks each week.').waitFor()
    await page.getByRole('button', { name: 'Saved replies' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill(`Where ${word} is`)
    await dialog.getByLabel('Reply').fill('At the third berth.')
    await dialog.getByRole('button', { name: 'Save reply' }).click()
    await dialog.getByRole('button', { name: new RegExp(`^Where ${word} is`) }).click()
    await page.getByRole('textbox', { name: 'Message', exact: true }).press('Enter')
    await page.getByRole('log').getByText('At the third berth.').waitFor()
    await side.getByLabel('Status').selectOption('closed')
    await page.getByText('The conversation is closed.').first().waitFor()
    await context.close()
  })
})
