/// <reference lib="dom" />
import { makeBill } from '#billing/tests/fixtures'
import Operation from '#core/models/operation'
import { sendMessage } from '#support/actions/send_message'
import Message from '#support/models/message'
import { assertAccessible } from '#tests/support/accessibility'
import {
  showInColorScheme,
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  signInThroughPage,
  visit,
  openPageAs,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { makeInstance } from '#tests/support/instances'
import { actorOf, makeCustomer, makeStaff } from '#tests/support/people'
import { startTestVaultService } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import { Buffer } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { crc32, deflateSync } from 'node:zlib'
import type { Page, Route } from 'playwright-core'

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64'
)

/** Returns a PNG of this size with a gradient. */
function drawn(width: number, height: number, [red, green]: [number, number]): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([8, 2], 8)
  const rows = Array.from({ length: height }, (_, y) => {
    const row = Buffer.alloc(1 + width * 3)
    for (let x = 0; x < width; x++) {
      row.set([red, green, Math.round((255 * (x + y)) / (width + height))], 1 + x * 3)
    }
    return row
  })
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(rows))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

const photo = (name: string, width: number, height: number, colour: [number, number]) => ({
  name,
  mimeType: 'image/png',
  buffer: drawn(width, height, colour),
})
const paper = (name: string) => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: Buffer.from('Words'),
})

/** Takes screenshots in both widths and schemes, and checks the accessibility in both schemes. */
async function looked(page: Page, name: string) {
  await takeScreenshots(page, name, false)
  for (const colorScheme of ['dark', 'light'] as const) {
    await showInColorScheme(page, colorScheme)
    await assertAccessible(page, `${name} ${colorScheme}`)
  }
}

test.group('Live support', (group) => {
  group.setup(async () => void (await startTestVaultService()))

  test('a customer on a phone and staff exchange texts and files despite a reload and a broken network', async ({
    assert,
  }) => {
    const customer = await makeCustomer({ name: 'Nasrin Akhter' })
    const staff = await makeStaff('support', { name: 'Rafiq of Support' })
    const instance = await makeInstance(customer, 'stopped')
    const [phone, desk] = [await openBrowser({ width: 390, scheme: 'dark' }), await openBrowser()]
    await signInByRequest(phone.page, customer)
    await signInThroughPage(desk.page, staff)

    // The customer writes about the instance that the page shows.
    await visit(phone.page, `/server-instance/${instance.id}`)
    await phone.page.getByRole('button', { name: 'Live support', exact: true }).click()
    const panel = phone.page.getByRole('dialog', { name: 'Live support' })
    const input = panel.getByRole('textbox', { name: 'Message' })
    assert.equal(await input.evaluate((element) => getComputedStyle(element).fontSize), '16px')
    // With an on-screen keyboard, the text field must stay visible above it.
    await phone.page.setViewportSize({ width: 390, height: 420 })
    await eventually(async () => {
      const { y, height } = (await input.boundingBox())!
      assert.isTrue(y > 0 && y + height <= 420, `from ${y}, ${height} high`)
    })
    await phone.page.setViewportSize({ width: 390, height: 844 })
    await panel.getByLabel('About this instance').check()
    await input.fill('It is <b>slow</b> + 100% busy')
    await input.press('Shift+Enter')
    await input.pressSequentially('since noon')
    await input.press('Enter')
    await panel.getByRole('article').getByText('It is <b>slow</b> + 100% busy').waitFor()
    assert.equal(await panel.locator('article b').count(), 0)
    await takeScreenshot(phone.page, 'support-customer-phone-dark', false)

    // The menu's badge appears while another page is open.
    await desk.page.getByRole('link', { name: /Live Support.*new/ }).waitFor()
    await desk.page.getByRole('link', { name: /Live Support/ }).click()
    const clients = desk.page.getByRole('region', { name: 'Clients' })
    await clients.getByLabel('Search clients and messages').fill(String(customer.id))
    await clients.getByRole('button', { name: new RegExp(`${customer.name}.*unread`, 's') }).click()
    const log = desk.page.getByRole('log', { name: 'Messages' })
    await log.getByText('since noon').waitFor()
    await log.getByRole('link', { name: `About instance ${instance.name}` }).waitFor()
    await log.getByText('Status when sent: Stopped').waitFor()
    await desk.page
      .getByRole('complementary', { name: 'Client' })
      .getByText(instance.name)
      .waitFor()
    await panel.getByText('Read').waitFor()

    // Both sides see that the other is typing. The indicator disappears after a while or with the message.
    const answer = desk.page.getByRole('textbox', { name: 'Message', exact: true })
    await answer.pressSequentially('Let me look')
    await panel.getByText('Support is typing...').waitFor()
    await input.pressSequentially('Thanks')
    await desk.page.getByText(`${customer.name} is typing...`).waitFor()
    await desk.page.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByText('Let me look').waitFor()

    // A draft survives a reload.
    await phone.page.reload()
    await panel.getByText('Let me look').waitFor()
    assert.equal(await input.inputValue(), 'Thanks')

    // A message without network is kept and marked as not sent. It is sent once when the network returns.
    await phone.context.setOffline(true)
    await input.press('Enter')
    await panel.getByText('Not sent.').waitFor()
    await takeScreenshot(phone.page, 'support-not-sent-phone-dark', false)
    await phone.context.setOffline(false)
    await panel.getByText('Not sent.').waitFor({ state: 'detached' })
    await log.getByText('Thanks', { exact: true }).waitFor()

    // The customer selects two photos, removes one and sends the other. Staff send a PDF, and open both files in the
    // viewer.
    await panel.locator('input[accept="image/*"]').setInputFiles([
      { name: 'one.png', mimeType: 'image/png', buffer: png },
      { name: 'two.png', mimeType: 'image/png', buffer: png },
    ])
    await panel.getByRole('button', { name: 'Remove two.png' }).click()
    await panel.locator('section').getByText('one.png').waitFor()
    await takeScreenshot(phone.page, 'support-preview-phone-dark', false)
    await panel.getByRole('button', { name: 'Send', exact: true }).click()
    await log.getByRole('button', { name: 'Open one.jpg' }).waitFor()
    await desk.page.locator('input[accept*=".pdf"]').setInputFiles({
      name: 'guide.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF'),
    })
    await desk.page.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByRole('button', { name: 'Open guide.pdf' }).waitFor()
    await takeScreenshots(desk.page, 'support-staff', false)
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
    await takeScreenshot(desk.page, 'support-viewer', false)
    await viewer.getByRole('button', { name: 'Close' }).click()

    // The closed chat's button counts new messages. On a wide page the chat opens as a panel.
    await panel.getByRole('button', { name: 'Close live support' }).click()
    await sendMessage(await actorOf(staff), customer.id, { text: 'It is well again' })
    const bubble = phone.page.getByRole('button', { name: 'Live support, 1 unread' })
    await bubble.waitFor()
    await phone.page.setViewportSize({ width: 1280, height: 800 })
    await bubble.click()
    await panel.getByText('It is well again').waitFor()
    await takeScreenshots(phone.page, 'support-customer', false)
  })

  test('staff add a note, answer with a saved reply, assign, close and search a conversation', async () => {
    const customer = await makeCustomer({ name: 'Karim Uddin' })
    const staff = await makeStaff('support')
    const word = `barge${customer.id}`
    await sendMessage(await actorOf(customer), customer.id, { text: `Where is the ${word}?` })
    const page = await openPageAs(staff)
    await visit(page, '/admin/live-support')
    await page.getByLabel('Search clients and messages').fill(word)
    await page.getByRole('list', { name: 'Messages found' }).getByRole('button').click()
    const side = page.getByRole('complementary', { name: 'Client' })
    await side.getByLabel('Add a note').fill('Asks each week.')
    await side.getByRole('button', { name: 'Save note' }).click()
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
    await page.getByText('The conversation is now closed.').first().waitFor()
  })

  test('displays long names, long texts, many files, Bangla and failures on both sides', async ({
    assert,
    cleanup,
  }) => {
    const customer = await makeCustomer({
      name: 'Augusta Ada King, Countess of Lovelace the Second of Chattogram',
    })
    const staff = await makeStaff('support', {
      name: 'Mohammad Rafiqul Islam Chowdhury of Support',
    })
    const bill = await makeBill(customer)
    const instance = await makeInstance(customer, 'active')
    const failed = await Operation.create({
      id: randomUUID(),
      kind: 'test.support',
      queue: 'machine',
      title: 'Start the harbour',
      subjectType: 'server_instance',
      subjectId: String(instance.id),
      status: 'failed',
      error: 'No address is free',
      accountId: customer.id,
      input: {},
      state: {},
      steps: [],
    })
    cleanup(() => failed.delete())
    const [phone, desk] = [await openBrowser({ width: 390 }), await openBrowser()]
    await signInByRequest(phone.page, customer)
    await signInByRequest(desk.page, staff)
    await visit(desk.page, '/admin/live-support')
    await desk.page.getByText('Choose a client').waitFor()
    await looked(desk.page, 'support-staff-empty')
    await desk.page.getByLabel('Search clients and messages').fill(`nobody${customer.id}`)
    await desk.page.getByText('-- Empty --').waitFor()
    await desk.page.getByLabel('Search clients and messages').fill(String(customer.id))

    await visit(phone.page, `/billing/${bill.id}`)
    await phone.page.getByRole('button', { name: 'Live support', exact: true }).click()
    const panel = phone.page.getByRole('dialog', { name: 'Live support' })
    await panel.getByText('Write to us').waitFor()
    await looked(phone.page, 'support-customer-empty')
    const input = panel.getByRole('textbox', { name: 'Message' })
    await panel.getByLabel('About this bill').check()
    await input.fill('আমার সাইটটি গতকাল থেকে খুলছে না। বিলটি কি ঠিক আছে? 😀')
    await input.press('Enter')
    await panel.getByRole('link', { name: `About bill ${bill.number}` }).waitFor()
    await input.fill(`https://example.com/${'a-very-long-path/'.repeat(12)}?q=${'x'.repeat(120)}`)
    await input.press('Enter')
    await input.fill(
      Array.from({ length: 60 }, (_, n) => `Sentence ${n} of a long text.`).join(' ')
    )
    await input.press('Enter')

    // A failed upload keeps the files and offers Retry next to the error.
    await phone.context.route('**/chat-file/upload', (route) => route.abort())
    await panel
      .locator('input[accept="image/*"]')
      .setInputFiles([
        photo('The front page as it was yesterday evening at home.png', 1200, 800, [200, 120]),
        photo('b.png', 300, 900, [20, 160]),
        photo('c.png', 640, 480, [90, 60]),
        photo('d.png', 40, 40, [240, 200]),
        photo('e.png', 900, 300, [10, 90]),
      ])
    await panel.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByText('Your files are still attached.').waitFor()
    await looked(phone.page, 'support-upload-failed')
    await phone.page.reload()
    await panel.getByTitle('e.png', { exact: true }).waitFor()
    await phone.context.unroute('**/chat-file/upload')
    await panel.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByRole('button', { name: 'Open e.jpg' }).waitFor()
    await panel
      .locator('input[accept*=".pdf"]')
      .setInputFiles([
        paper('The quarterly report of the harbour with all of its appendices.pdf'),
        paper('ব্যাংক হিসাব বিবরণী নভেম্বর.xlsx'),
        paper('a.txt'),
      ])
    await looked(phone.page, 'support-documents-chosen')
    await panel.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByRole('button', { name: 'Open a.txt' }).waitFor()

    const clients = desk.page.getByRole('region', { name: 'Clients' })
    await clients.getByRole('button', { name: new RegExp(`^${customer.id}`) }).click()
    const log = desk.page.getByRole('log', { name: 'Messages' })
    await log.getByRole('button', { name: 'Open a.txt' }).waitFor()
    const side = desk.page.getByRole('complementary', { name: 'Client' })
    await side.getByRole('link', { name: instance.name }).waitFor()
    await side.getByRole('link', { name: new RegExp(`^${bill.number}`) }).waitFor()
    const failure = side.getByRole('link', { name: 'Start the harbour' })
    assert.equal(await failure.getAttribute('href'), `/admin/server-instance/${instance.id}`)
    await side.getByLabel('Add a note').fill('Half a note that nobody kept yet')
    const answer = desk.page.getByRole('textbox', { name: 'Message', exact: true })
    await answer.fill('দেখছি। এক মিনিট সময় দিন।')
    await answer.press('Enter')
    await panel.getByText('দেখছি। এক মিনিট সময় দিন।').waitFor()
    await answer.fill('Half an answer')
    await looked(desk.page, 'support-staff-long')
    await looked(phone.page, 'support-customer-long')

    // The address contains the conversation. Drafts of messages and notes survive a reload.
    await desk.page.reload()
    await log.getByRole('button', { name: 'Open a.txt' }).waitFor()
    assert.equal(await answer.inputValue(), 'Half an answer')
    await side.getByText('Half a note that nobody kept yet').waitFor()
    await desk.page.goBack()
    await desk.page.getByText('Choose a client').waitFor()
    await desk.page.goForward()
    await log.getByRole('button', { name: 'Open a.txt' }).waitFor()

    // Neither loading nor sending messages works. Both show an error with a Retry button.
    await desk.context.route(
      /live-support\/(message-list|client|client-list|send-message)/,
      (route) => route.abort()
    )
    await answer.press('Enter')
    await log.getByText('Not sent.').waitFor()
    await sendMessage(await actorOf(customer), customer.id, { text: 'Are you there?' })
    await log.getByText('Messages could not be loaded.').waitFor()
    await looked(desk.page, 'support-staff-failed')
    await desk.context.unroute(/live-support\/(message-list|client|client-list|send-message)/)
    await log.getByRole('button', { name: 'Retry' }).first().click()
    await panel.getByText('Half an answer').waitFor()
    await log.getByText('Are you there?').waitFor()
    await log.getByText('Not sent.').waitFor({ state: 'detached' })

    await panel.getByRole('button', { name: 'Open b.jpg' }).click()
    await phone.page.getByRole('dialog', { name: 'Attachment b.jpg' }).getByRole('img').waitFor()
    await looked(phone.page, 'support-viewer')
  }).timeout(1_800_000)

  test('the chat is on every page of a customer, and on no page before sign-in', async ({
    assert,
  }) => {
    const { page } = await openBrowser()
    const bubble = page.getByRole('button', { name: 'Live support', exact: true })
    for (const path of ['/', '/login', '/services']) {
      await visit(page, path)
      assert.equal(await bubble.count(), 0, path)
    }
    await signInThroughPage(page, await makeCustomer())
    const menu = page.getByRole('navigation').getByRole('link')
    const hrefs = await menu.evaluateAll((links) => links.map((one) => one.getAttribute('href')!))
    assert.isAtLeast(new Set(hrefs).size, 5)
    for (const path of new Set([...hrefs, '/profile', '/profile/members', '/nowhere'])) {
      await visit(page, path)
      await bubble.waitFor()
    }
  })

  test('messages behind a failed message are sent, whether or not the bubble is open', async ({
    assert,
  }) => {
    const customer = await makeCustomer()
    const { context, page } = await openBrowser({ width: 390 })
    await signInThroughPage(page, customer)
    const bubble = page.getByRole('button', { name: /^Live support/ })
    const panel = page.getByRole('dialog', { name: 'Live support' })
    const close = () => panel.getByRole('button', { name: 'Close live support' }).click()
    const sendBoth = async (word: string) => {
      if (!(await panel.isVisible())) await bubble.click()
      const input = panel.getByRole('textbox', { name: 'Message' })
      for (const text of [`${word} one`, `${word} two`]) {
        await input.fill(text)
        await input.press('Enter')
      }
      await panel.getByText('Not sent.').waitFor()
    }
    const said = (...texts: string[]) =>
      eventually(async () => {
        const all = await Message.query().where({ clientId: customer.id }).orderBy('sequence')
        assert.deepEqual(
          all.map(({ text }) => text),
          texts
        )
      })

    // The button of the closed chat counts only the failed message, and not the one behind it. Both are sent when the
    // network returns.
    await bubble.click()
    await panel.getByRole('textbox', { name: 'Message' }).waitFor()
    await context.setOffline(true)
    await sendBoth('Offline')
    await close()
    await page.getByRole('button', { name: 'Live support, 1 not sent' }).waitFor()
    await takeScreenshot(page, 'support-bubble-not-sent', false)
    await context.setOffline(false)
    await said('Offline one', 'Offline two')
    await page.getByRole('button', { name: 'Live support', exact: true }).waitFor()

    // Closes the chat at the moment when the first message is retried.
    const SEND = '**/live-support/send-message'
    const refuse = (route: Route) => route.abort()
    const holdUntilClosed = async (route: Route) => {
      await panel.waitFor({ state: 'detached' })
      await route.continue()
    }
    await context.route(SEND, refuse)
    await sendBoth('Retried')
    const retried = page.waitForRequest(SEND)
    await context.route(SEND, holdUntilClosed)
    // The chat also retries automatically, every 10 seconds. If it has just done so, the button is gone.
    const retry = panel.getByRole('button', { name: 'Retry' }).click()
    await Promise.race([retry.catch(() => {}), retried])
    await retried
    await close()
    const before = ['Offline one', 'Offline two', 'Retried one', 'Retried two']
    await said(...before)
    await context.unroute(SEND, holdUntilClosed)

    // Unsent messages also appear on another page. One is discarded there, and the other is sent.
    await sendBoth('Left')
    await close()
    await visit(page, '/profile')
    await page.getByRole('button', { name: /not sent$/ }).waitFor()
    await bubble.click()
    await panel.getByText('Not sent.').waitFor()
    await panel.getByRole('button', { name: 'Discard' }).first().click()
    await close()
    await context.unroute(SEND)
    await said(...before, 'Left two')
  })

  test('the search finds and shows an old message more than a page back', async () => {
    const customer = await makeCustomer()
    const staff = await makeStaff('support')
    const agent = await actorOf(staff)
    const word = `anchor${customer.id}`
    await sendMessage(agent, customer.id, { text: `The ${word} is aweigh` })
    for (let index = 1; index <= 130; index++) {
      await sendMessage(agent, customer.id, { text: `Line ${index}` })
    }
    const page = await openPageAs(staff)
    await visit(page, '/admin/live-support')
    await page.getByLabel('Search clients and messages').fill(word)
    await page.getByRole('list', { name: 'Messages found' }).getByRole('button').click()
    const found = page.getByRole('log').getByText(`The ${word} is aweigh`)
    await found.waitFor()
    await page.waitForFunction((text) => {
      const all = [...document.querySelectorAll('[role="log"] article')]
      const box = all.find((one) => one.textContent.includes(text))!.getBoundingClientRect()
      const log = document.querySelector('[role="log"]')!.getBoundingClientRect()
      return box.top >= log.top && box.bottom <= log.bottom
    }, word)
  })
})
