/// <reference lib="dom" />
import Sender from '#mail/models/sender'
import { linkSentTo, freshAddress, freshDomain, publish } from '#mail/tests/fixtures'
import { createSender as addSender } from '#mail/actions/create_sender'
import { verifySenderByLink } from '#mail/actions/verify_sender'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  signInThroughPage,
  waitForToast,
  visit,
  openPageAs,
  signInByRequest,
} from '#tests/support/browser'
import { readCopiedText } from '#tests/support/browser_steps'
import { eventually } from '#tests/support/eventually'
import { actorOf, makeCustomer, makeStaff } from '#tests/support/people'
import { startTestMailService, type TestService } from '#packages/mail-service/tests/test_service'
import {
  receivedMailsTo,
  type SmtpSink,
  startSmtpSink,
} from '#packages/mail-service/tests/smtp_sink'
import MailDomain from '#mail/models/mail_domain'
import { Secret } from '@adonisjs/core/helpers'
import app from '@adonisjs/core/services/app'
import { overrideSettings } from '#tests/support/override_settings'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'

const HOSTILE_MARKUP = '<img src=x onerror=alert(1)>'

interface Receiver {
  url: string
  /** Ids of the events that the customer's webhook has received. */
  told: unknown[]
  stop(): Promise<void>
}

/** Starts a server that receives the customer's webhook calls. */
async function startReceiver(): Promise<Receiver> {
  const told: unknown[] = []
  const server = createServer((request, response) => {
    told.push(request.headers['webhook-id'])
    request.resume()
    response.end('Thank you')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const stop = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { url: `http://127.0.0.1:${port}/mail-events`, told, stop }
}

test.group('Mail', (group) => {
  let sink: SmtpSink
  let service: TestService
  let receiver: Receiver

  group.setup(async () => {
    sink = await startSmtpSink()
    receiver = await startReceiver()
    service = await startTestMailService({
      port: Number(process.env.MAIL_PORT),
      mailHost: 'mail.berth.test',
      relayUrl: `smtp://127.0.0.1:${sink.port}`,
      outgoing: { allowPrivate: true },
    })
    const undo = overrideSettings({
      MAIL_CONTROL_URL: service.url,
      MAIL_CONTROL_KEY: new Secret(process.env.MAIL_CONTROL_KEY!),
    })
    return async () => {
      undo()
      await service.stop()
      await sink.stop()
      await receiver.stop()
    }
  })

  test('an address is added, verified, used by the code example and suspended', async () => {
    const customer = await makeCustomer()
    const email = freshAddress()
    const { context, page } = await openBrowser()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
    await signInThroughPage(page, customer)
    await page.getByText('Total Emails').click()
    await page.getByText('No addresses yet').waitFor()
    await takeScreenshots(page, 'mail-none')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new address' })
    await form.getByLabel('Email').fill('no address')
    await form.getByRole('button', { name: 'Add address' }).click()
    await form.getByText('Enter a valid email address.').waitFor()
    await form.getByLabel('Email').fill(email)
    await form.getByRole('button', { name: 'Add address' }).click()
    await waitForToast(page, /Open the link/)
    await page.getByText('Not Available').waitFor()

    const reader = await openBrowser({ width: 390 })
    await visit(reader.page, `/email/verify/${await linkSentTo(email)}`)
    await takeScreenshots(reader.page, 'mail-verify')
    await reader.page.getByRole('button', { name: 'Confirm address' }).click()
    await waitForToast(reader.page, `${email} is verified.`)
    await reader.context.close()

    await visit(page, '/email/list')
    await page.getByText('API documentation').click()
    await takeScreenshots(page, 'mail-list')
    await page.getByRole('button', { name: 'Copy email' }).click()
    await waitForToast(page, 'Email Copied!')
    await page.getByRole('button', { name: 'Copy secret key' }).click()
    await waitForToast(page, 'Secret Key Copied!')
    const secret = await clipboard()
    const sender = await Sender.findByOrFail({ email })
    assert.equal(secret, sender.secretKey)

    await page.getByRole('link', { name: `Manage ${email}` }).click()
    await page.getByText('No messages yet').waitFor()
    await page.getByRole('tab', { name: 'Credentials' }).click()
    await page.getByText('API documentation').click()
    await takeScreenshots(page, 'mail-credentials')
    const example = await readCopiedText(page, () =>
      page.getByRole('button', { name: 'Copy Send an email: curl' }).click()
    )
    const command = example
      .replace('YOUR_SECRET_KEY', secret)
      .replace('Your order is on its way', HOSTILE_MARKUP)
    const { stdout } = await promisify(execFile)('sh', ['-c', command])
    assert.equal((JSON.parse(stdout) as { success: boolean }).success, true)
    await eventually(async () => assert.equal(receivedMailsTo(sink, 'ann@example.com').length, 1))

    await page.getByRole('tab', { name: 'Messages' }).click()
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('cell', { name: 'Delivered' }).waitFor({ timeout: 2_000 })
    })
    await page.getByText(HOSTILE_MARKUP).waitFor()
    await takeScreenshots(page, 'mail-messages')
    await page.getByRole('button', { name: 'Show message to ann@example.com' }).click()
    const shown = page.getByRole('dialog')
    await shown.frameLocator('iframe').getByText('Hello Ann').waitFor()
    await takeScreenshots(page, 'mail-message', false)
    await page.keyboard.press('Escape')

    await page.getByRole('tab', { name: 'Suppressions' }).click()
    await page.getByRole('button', { name: 'Add recipient' }).click()
    const add = page.getByRole('dialog', { name: 'Add recipient' })
    await add.getByLabel('Recipient').fill('bob@example.com')
    await add.getByRole('button', { name: 'Add recipient' }).click()
    await page.getByText('bob@example.com', { exact: true }).waitFor()
    await takeScreenshots(page, 'mail-suppressions')

    await page.getByRole('tab', { name: 'Webhooks' }).click()
    await page.getByRole('button', { name: 'New webhook' }).click()
    await takeScreenshots(page, 'mail-webhook-form', false)
    const hook = page.getByRole('dialog', { name: 'New webhook' })
    await hook.getByLabel('Address').fill(receiver.url)
    await hook.getByLabel('Delivered').check()
    await hook.getByRole('button', { name: 'Create webhook' }).click()
    await hook.getByText('Copy the secret now').waitFor()
    await hook.getByRole('button', { name: 'Done' }).click()
    await page.getByText(receiver.url).waitFor()
    await page.getByRole('tab', { name: 'Usage' }).click()
    await page.getByText('Bounces and complaints').waitFor()
    await takeScreenshots(page, 'mail-usage')
    await page.getByRole('tab', { name: 'Settings' }).click()
    await page.getByRole('button', { name: 'Send test' }).click()
    await waitForToast(page, /Test email sent to/)
    await eventually(async () => assert.notEqual(receivedMailsTo(sink, customer.email).length, 0))
    await takeScreenshots(page, 'mail-settings')

    await eventually(() => assert.equal(receiver.told.length, 1))
    await page.getByRole('tab', { name: 'Webhooks' }).click()
    await takeScreenshots(page, 'mail-webhooks')
    await page.getByRole('button', { name: `Actions for ${receiver.url}` }).click()
    await page.getByRole('menuitem', { name: 'Deliveries' }).click()
    const deliveries = page.getByRole('dialog', { name: 'Deliveries' })
    await deliveries.getByText('200 Thank you').waitFor()
    await takeScreenshots(page, 'mail-deliveries', false)
    await deliveries.getByRole('button', { name: 'Send again' }).click()
    await eventually(() => assert.equal(receiver.told.length, 2))
    assert.equal(receiver.told[0], receiver.told[1])
    await page.keyboard.press('Escape')

    const staff = await openBrowser()
    await signInByRequest(staff.page, await makeStaff())
    await visit(staff.page, `/admin/email/list?search=${email}`)
    await takeScreenshots(staff.page, 'mail-staff-list')
    await staff.page.getByRole('link', { name: `Manage ${email}` }).click()
    await staff.page.getByRole('heading', { name: email, level: 1 }).waitFor()
    await takeScreenshots(staff.page, 'mail-staff')
    await staff.page.getByRole('button', { name: 'Suspend', exact: true }).click()
    const suspend = staff.page.getByRole('dialog')
    await suspend.getByLabel('Reason').fill('Many complaints')
    await suspend.getByRole('button', { name: 'Suspend address' }).click()
    await waitForToast(staff.page, `${email} is suspended.`)
    await visit(staff.page, '/admin/settings/mail')
    await staff.page.frameLocator('iframe').locator('h1').waitFor()
    await takeScreenshots(staff.page, 'mail-own')
    await staff.page.getByText('Dark', { exact: true }).click()
    await takeScreenshot(staff.page, 'mail-own-dark-mail')
    await visit(staff.page, '/admin/system')
    await staff.page.getByRole('tab', { name: 'Tables' }).click()
    const tables = staff.page.getByRole('table', { name: 'Tables of Mail' })
    await tables.getByRole('row', { name: /^contents .* after the mail is final/ }).waitFor()
    await takeScreenshots(staff.page, 'system-tables')
    await staff.context.close()

    await page.getByText('This address is suspended', { exact: false }).first().waitFor()
    const refused = JSON.parse((await promisify(execFile)('sh', ['-c', command])).stdout) as {
      success: boolean
    }
    assert.equal(refused.success, false)
  })

  test('the copied examples work in each language', async () => {
    const customer = await makeCustomer()
    const { email: wanted } = await addSender(await actorOf(customer), freshAddress())
    const sender = await verifySenderByLink(await linkSentTo(wanted), { actor: null })
    const { id, accountId, email, secretKey } = sender
    const { context, page } = await openBrowser()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const programs: Record<string, string[]> = {
      curl: ['sh', '-c'],
      Node: [process.execPath, '--input-type=module', '--eval'],
      PHP: ['sh', '-c', 'printf %s "$1" | php', 'sh'],
      Python: ['python3', '-c'],
    }
    const sends = async (language: string, text: string) => {
      const [program, ...argv] = programs[language]!
      const { stdout } = await promisify(execFile)(program!, [...argv, text])
      assert.match(stdout, /"?success"?: ?true/, `${language}: ${stdout}`)
    }
    await signInByRequest(page, customer)
    await visit(page, `/email/${id}?tab=credentials`)
    await page.getByText('API documentation').click()
    for (const [index, language] of Object.keys(programs).entries()) {
      await page
        .getByRole('radiogroup', { name: 'Language' })
        .getByText(language, { exact: true })
        .click()
      const text = await readCopiedText(page, () =>
        page.getByRole('button', { name: `Copy Send an email: ${language}` }).click()
      )
      await sends(language, text.replace('YOUR_SECRET_KEY', secretKey!))
      await eventually(() => {
        const letters = receivedMailsTo(sink, 'ann@example.com')
        const mine = letters.filter(({ raw }) => raw.includes(`<${email}>`))
        assert.equal(mine.length, index + 1, language)
      })
    }
    const guide = await readFile(app.makePath('docs/guides/mail.md'), 'utf8')
    await sends(
      'curl',
      /```sh\n(.*?)```/s
        .exec(guide)![1]!
        .replace('https://mail.example.com', service.url)
        .replace('-Id: 17', `-Id: ${accountId}`)
        .replace('…', secretKey!)
        .replace('shop@example.com', email)
    )
    await eventually(() => assert.equal(receivedMailsTo(sink, 'ana@example.net').length, 1))
  })

  test('a domain is added, its records are checked, and its addresses need no verification link', async () => {
    const customer = await makeCustomer()
    const name = freshDomain()
    const page = await openPageAs(customer)
    await visit(page, '/email/list?tab=domains')
    await page.getByText('No domains yet').waitFor()
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new domain' })
    await form.getByLabel('Domain').fill(name)
    await form.getByRole('button', { name: 'Add domain' }).click()
    await page.getByRole('link', { name: `Manage ${name}` }).click()
    await page.getByRole('button', { name: 'Check now' }).click()
    await waitForToast(page, /Some records are still missing/)
    await page.getByText('Missing').first().waitFor()
    await takeScreenshots(page, 'mail-domain-missing')
    const domain = await MailDomain.findByOrFail({ domain: name })
    publish(await service.control.call('domain', { id: domain.id }), ['dmarc'])
    await page.getByRole('button', { name: 'Check now' }).click()
    await waitForToast(page, `The records of ${name} are correct.`)
    await page.getByText('Active').first().waitFor()
    await takeScreenshots(page, 'mail-domain')

    await visit(page, '/email/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const address = page.getByRole('dialog', { name: 'Add new address' })
    await address.getByLabel('Email').fill(`orders@${name}`)
    await address.getByRole('button', { name: 'Add address' }).click()
    await waitForToast(page, `orders@${name} is verified, because its domain is verified.`)
  })
})
