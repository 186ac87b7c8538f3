import Account from '#accounts/models/account'
import Bill from '#billing/models/bill'
import { freshTrx } from '#billing/tests/fixtures'
import { ServerPackage } from '#catalog/public'
import { edgeSettings } from '#edge/settings'
import { listLocalHosts } from '#hosts/local_hosts'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import Person from '#identity/models/person'
import { ServerInstance } from '#instances/public'
import Sender from '#mail/models/sender'
import mailUsage from '#mail/schedules/record_mail_usage'
import { linkSentTo, freshAddress } from '#mail/tests/fixtures'
import {
  receivedMailsTo,
  type SmtpSink,
  startSmtpSink,
} from '#packages/mail-service/tests/smtp_sink'
import { startTestMailService, type TestService } from '#packages/mail-service/tests/test_service'
import { ServiceDatabase } from '#packages/service/database'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  signInThroughPage,
  waitForToast,
  visit,
} from '#tests/support/browser'
import { fetchSiteOnceServed } from '#tests/support/edge'
import { eventually } from '#tests/support/eventually'
import { retireHosts, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import {
  uploadStatement,
  deleteInstance,
  createDatabase,
  MACHINE_TIMEOUT_MS,
  readCopiedText,
  waitForIdleProject,
  registerAccount,
  uploadToProject,
  waitForActiveInstance,
} from '#tests/support/browser_steps'
import { listMailsTo } from '#tests/support/outbox_mails'
import { freshEmail, makeStaff } from '#tests/support/people'
import { overrideSettings } from '#tests/support/override_settings'
import { startWorker } from '#tests/support/worker'
import vaultUsage from '#vault/schedules/record_vault_usage'
import { freshName, startTestVaultService } from '#vault/tests/fixtures'
import Vault from '#vault/models/vault'
import { Secret } from '@adonisjs/core/helpers'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'

const socket = process.env.INCUS_SOCKET
/** Timeout that includes downloading packages. */
const INSTALL_TIMEOUT_MS = 840_000
const MERCHANT_NUMBER = '01800000000'
const PAYER_NUMBER = '01711234567'

const siteOf = ({ name, user, password }: typeof shop) => `<?php
$shop = new PDO('mysql:host=localhost;dbname=${name};charset=utf8mb4', '${user}', '${password}');
echo '<h1>Boats</h1>';
foreach ($shop->query('SELECT name FROM boats ORDER BY id') as ['name' => $name]) {
  echo '<p>', htmlspecialchars($name), '</p>';
}
`
const shop = { name: 'harbour', user: 'keeper', password: 'Harbour-Lights-9' }

test.group('One week of use', (group) => {
  const stops: (() => unknown)[] = []
  let sink: SmtpSink
  let mail: TestService

  group.setup(async () => {
    if (!socket) return
    stops.push(await disableOtherHosts())
    // Retires this machine's host of other tests, whose instances would take the resources that the order needs.
    await retireHosts(...(await listLocalHosts().where('isLocal', true)))
    const { host } = await registerLocalHost()
    await host.merge({ status: 'active' }).save()
    stops.push(() => retireHosts(host))
    sink = await startSmtpSink()
    stops.push(() => sink.stop())
    mail = await startTestMailService({
      port: Number(process.env.MAIL_PORT),
      mailHost: 'mail.berth.test',
      relayUrl: `smtp://127.0.0.1:${sink.port}`,
      outgoing: { allowPrivate: true },
    })
    stops.push(() => mail.stop())
    stops.push(
      overrideSettings({
        MAIL_CONTROL_URL: mail.url,
        MAIL_CONTROL_KEY: new Secret(process.env.MAIL_CONTROL_KEY!),
      })
    )
    await startTestVaultService()
    stops.push(await startWorker())
  })
  group.teardown(async () => {
    for (const stop of stops.reverse()) await stop()
  })

  test('a provider, a customer and a colleague complete all their tasks', async () => {
    const offer = uniqueName('Quay')
    const [ownerEmail, colleagueEmail] = [freshEmail('nasrin'), freshEmail('karim')]
    const staff = await makeStaff('administrator', { name: `Rafiq ${uniqueName('of')}` })
    const office = await openBrowser()
    const home = await openBrowser()
    const desk = await openBrowser()
    await home.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const pages = { office: office.page, home: home.page, desk: desk.page }
    try {
      await signInThroughPage(office.page, staff)
      await setUp(office.page, offer)

      await visit(home.page, '/')
      await home.page.getByRole('link', { name: 'Get Started' }).click()
      await registerAccount(home.page, ownerEmail)
      await home.page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
      await takeScreenshots(home.page, 'week-first-dashboard')
      const owner = await Person.findByOrFail({ email: ownerEmail, audience: 'customer' })
      const account = await Account.findOrFail(owner.id)
      await invite(home.page, desk.page, account, colleagueEmail)

      const instance = await order(home.page, offer)
      await putUpSite(desk.page, instance)
      const vault = await keepFiles(home.page, account)
      await sendMail(home.page)

      await aMonthPasses(account)
      const bill = await runBilling(office.page, staff, account)
      const transfer = await pay(home.page, bill, ownerEmail, vault)
      await approve(office.page, transfer)
      await seePaid(home.page, bill, ownerEmail)

      await askSupport(home.page, office.page, account)
      await end(home.page, desk.page, instance)
    } catch (error) {
      for (const [name, page] of Object.entries(pages)) {
        await takeScreenshot(page, `week-${name}-stopped-here`)
      }
      throw error
    } finally {
      await ServerPackage.query().where('name', offer).update({ offered: false })
      for (const { context } of [office, home, desk]) await context.close()
    }
  })
    .skip(!socket || !edgeSettings(), 'needs an Incus and a Caddy: set INCUS_SOCKET and EDGE_ADMIN')
    // No retry, because a second attempt would find the orders of the first one.
    .retry(0)
    .timeout(INSTALL_TIMEOUT_MS + 4 * MACHINE_TIMEOUT_MS)

  /** The provider configures packages, prices and the account that receives payments. */
  async function setUp(page: Page, offer: string): Promise<void> {
    await page.getByRole('main').getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await visit(page, '/admin/host-instance/list')
    await page.getByRole('article').getByText('Active', { exact: true }).first().waitFor()
    await visit(page, '/admin/server-package/list')
    await page.getByRole('button', { name: 'Add Package' }).click()
    const form = page.getByRole('dialog', { name: 'Add Package' })
    await form.getByLabel('Name').fill(offer)
    await form.getByRole('textbox', { name: 'RAM' }).fill('1')
    await form.getByLabel('Storage (GB)').fill('6')
    await form.getByLabel('Price per month (dollars)').fill('4')
    await form.getByRole('button', { name: 'Add package' }).click()
    await form.waitFor({ state: 'hidden' })

    await visit(page, '/admin/billing/settings')
    await page.getByLabel('Merchant account').fill(MERCHANT_NUMBER)
    await page.getByLabel('Seller name').fill('Berth')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await waitForToast(page, 'saved')
    await takeScreenshots(page, 'week-provider')
  }

  /** A colleague without an account follows the invitation, registers, and becomes a member of this account. */
  async function invite(page: Page, colleague: Page, account: Account, email: string) {
    await page.getByRole('button', { name: account.name }).click()
    await page.getByRole('menuitem', { name: 'Members' }).click()
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Email').fill(email)
    await dialog.getByLabel('Role').selectOption('developer')
    await dialog.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText(`${email} · Developer`).waitFor()

    const [letter] = await listMailsTo(email)
    await visit(colleague, /\/invitation\/[0-9a-f-]+/.exec(letter.text)![0])
    await colleague.getByRole('button', { name: 'Create New Account' }).click()
    await registerAccount(colleague, email)
    await colleague.getByRole('heading', { name: `Join ${account.name}?` }).waitFor()
    await takeScreenshots(colleague, 'week-invitation')
    await colleague.getByRole('button', { name: 'Accept' }).click()
    await colleague.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    await visit(page, '/profile/members')
    await page.getByLabel(`Role of ${email.split('@')[0]}`).waitFor()
  }

  async function order(page: Page, offer: string): Promise<ServerInstance> {
    const name = uniqueName('web')
    await visit(page, '/server-instance/list')
    await page.getByRole('button', { name: 'Create New Instance' }).first().click()
    const form = page.getByRole('dialog', { name: 'Create New Instance' })
    await form.getByLabel('Name').fill(name)
    await form.getByRole('radio', { name: new RegExp(`^${offer}`) }).check()
    await form.getByRole('status').filter({ hasText: 'for the first month' }).waitFor()
    await form.getByRole('button', { name: 'Create instance' }).click()
    await form.waitFor({ state: 'hidden' })
    await waitForActiveInstance(page, name)
    await takeScreenshots(page, 'week-instance')
    return ServerInstance.findByOrFail('name', name)
  }

  /** The colleague publishes a site that shows rows from a database. */
  async function putUpSite(page: Page, instance: ServerInstance): Promise<void> {
    await visit(page, '/database/mysql')
    await createDatabase(page, shop, INSTALL_TIMEOUT_MS)
    await page.getByRole('tab', { name: 'Query' }).click()
    await page.getByRole('switch', { name: 'Read-only' }).click({ force: true })
    const ask = async (sql: string, answer: RegExp) => {
      const box = page.getByRole('textbox', { name: 'Query' })
      await box.fill(sql)
      await box.press('Control+Enter')
      await page.getByText(answer).waitFor()
    }
    await ask('CREATE TABLE boats (id INT PRIMARY KEY, name VARCHAR(60))', /^0 rows changed/)
    await ask("INSERT INTO boats VALUES (1, 'শুভ সকাল'), (2, 'Tide & Sons')", /^2 rows changed/)
    await takeScreenshots(page, 'week-database')

    await visit(page, '/project/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add New Project' })
    await form.getByLabel('App Stack').selectOption('php')
    await form.getByLabel('Name').fill('Boats')
    await form.getByLabel('Path').fill('boats')
    await form.getByRole('button', { name: 'Create project' }).click()
    await waitForToast(page, 'Project Boats is being set up.')
    await page.getByRole('link', { name: 'Boats', exact: true }).click()
    await page.getByRole('heading', { name: 'Boats', level: 1 }).waitFor()
    await waitForIdleProject(page)
    await uploadToProject(page, { 'index.php': siteOf(shop) })

    const domain = `${instance.name}.example.com`
    await page.getByRole('tab', { name: 'VH Setup' }).click()
    await page.getByRole('button', { name: 'Set Up Virtual Host' }).click()
    const host = page.getByRole('dialog', { name: 'Virtual Host Setup' })
    await host.getByLabel('Url Type').selectOption('subdomain')
    await host.getByLabel('Server Admin Email').fill('admin@example.com')
    await host.getByLabel('Domain').fill(domain)
    await host.getByRole('button', { name: 'Save' }).click()
    await host.waitFor({ state: 'hidden' })
    await waitForIdleProject(page)
    await eventually(async () => {
      const { text } = await fetchSiteOnceServed(domain)
      assert.equal(text, '<h1>Boats</h1><p>শুভ সকাল</p><p>Tide &amp; Sons</p>')
    })
    await takeScreenshots(page, 'week-site')
  }

  async function keepFiles(page: Page, account: Account): Promise<Vault> {
    const name = freshName()
    await visit(page, '/vault/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new vault' })
    await form.getByLabel('Name').fill(name)
    await form.getByRole('button', { name: 'Create vault' }).click()
    await page.getByRole('link', { name: `Manage ${name}` }).click()
    await page.getByLabel('Files to upload').setInputFiles({
      name: 'tide.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('High at noon'),
    })
    await page.getByRole('button', { name: 'tide.txt', exact: true }).waitFor()
    await takeScreenshots(page, 'week-vault')
    const vault = await Vault.findByOrFail({ name, accountId: account.id })
    const { url } = await startTestVaultService()
    const answer = await fetch(`${url}/${vault.key}/tide.txt`)
    assert.equal(await answer.text(), 'High at noon')
    return vault
  }

  async function sendMail(page: Page): Promise<void> {
    const email = freshAddress()
    await visit(page, '/email/list')
    await page.getByRole('button', { name: 'Add New' }).first().click()
    const form = page.getByRole('dialog', { name: 'Add new address' })
    await form.getByLabel('Email').fill(email)
    await form.getByRole('button', { name: 'Add address' }).click()
    await waitForToast(page, /Open the link/)
    await visit(page, `/email/verify/${await linkSentTo(email)}`)
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await waitForToast(page, `${email} is verified.`)

    await visit(page, '/email/list')
    await page.getByRole('link', { name: `Manage ${email}` }).click()
    await page.getByRole('tab', { name: 'Credentials' }).click()
    await page.getByText('API documentation').click()
    const example = await readCopiedText(page, () =>
      page.getByRole('button', { name: 'Copy Send an email: curl' }).click()
    )
    const { secretKey } = await Sender.findByOrFail({ email })
    const command = example.replace('YOUR_SECRET_KEY', secretKey!)
    await promisify(execFile)('sh', ['-c', command])
    await eventually(() =>
      assert.ok(receivedMailsTo(sink, 'ann@example.com').some(({ from }) => from.includes('@')))
    )
    await page.getByRole('tab', { name: 'Messages' }).click()
    await eventually(async () => {
      await page.getByRole('button', { name: 'Refresh' }).click()
      await page.getByRole('cell', { name: 'Delivered' }).waitFor({ timeout: 2_000 })
    })
    await takeScreenshots(page, 'week-mail')
  }

  /**
   * Moves the account's usage and subscriptions a month into the past. Usage in the services moves by two days first,
   * because in the first minutes after midnight UTC the vault service does not report yesterday yet.
   */
  async function aMonthPasses({ id }: Account): Promise<void> {
    const vaults = new ServiceDatabase('berth-week', process.env.VAULT_DATABASE_URL!, 1)
    const { fold } = await startTestVaultService()
    await fold()
    await vaults.rows(
      `update vault.usage set day = day - 2
       where vault_id in (select id from vault.vaults where account_id = $1)`,
      [id]
    )
    await vaults.close()
    await mail.database.rows('update mail.usage set day = day - 2 where account_id = $1', [id])
    const { signal } = new AbortController()
    await vaultUsage.run(signal)
    await mailUsage.run(signal)
    const earlier = (column: string) => db.raw(`${column} - interval '1 month'`)
    await db
      .from('usage_events')
      .where('account_id', id)
      .update({ at: earlier('at') })
    await db
      .from('subscriptions')
      .where('account_id', id)
      .update({
        started_at: earlier('started_at'),
        anchored_at: earlier('anchored_at'),
        renews_at: earlier('renews_at'),
      })
  }

  async function runBilling(page: Page, staff: Person, account: Account): Promise<Bill> {
    const since = db.from('settings').where('key', 'billing_from')
    const [{ value: before }] = await since.clone().select('value')
    await since.clone().update({ value: db.raw(`to_jsonb(now() - interval '40 days')`) })
    try {
      await visit(page, '/admin/billing/run')
      await page.getByPlaceholder('Search by name').fill(account.name)
      const compared = page.getByRole('table', { name: 'Accounts' }).getByRole('row')
      await compared.filter({ hasText: account.name }).getByText('New').waitFor()
      await page.getByRole('button', { name: 'Run billing' }).click()
      const ask = page.getByRole('dialog', { name: 'Run billing' })
      await ask.getByRole('button', { name: 'Run' }).click()
      await waitForToast(page, 'Billing run started.')
      const runs = page.getByRole('table', { name: 'Recent runs' }).getByRole('row')
      await runs.filter({ hasText: staff.name }).getByText('Done').waitFor()
      await takeScreenshots(page, 'week-billing-run')
    } finally {
      await since.update({ value: JSON.stringify(before) })
    }
    return Bill.findByOrFail('accountId', account.id)
  }

  /**
   * Pays a bill with no other data than the page shows. Returns the transfer as the operator's statement will contain
   * it.
   */
  async function pay(page: Page, bill: Bill, email: string, vault: Vault) {
    const told = await listMailsTo(email)
    assert.ok(
      told.some(({ subject }) => subject.includes(bill.number!)),
      told.map(({ subject }) => subject).join()
    )
    await visit(page, '/billing')
    await page.getByRole('link', { name: `Details of ${bill.number}` }).click()
    await page.getByRole('heading', { name: `Bill ${bill.number}`, level: 1 }).waitFor()
    // The bill charges the instance twice: for the past month and for the current month.
    await page.getByRole('button', { name: /Server Instances \(2\)/ }).waitFor()
    const byUse = page.getByRole('table', { name: 'Vaults' }).getByRole('row')
    await byUse.filter({ hasText: vault.name }).getByText('Requests').waitFor()
    await byUse.filter({ hasText: '@example.com' }).getByText('Mails').waitFor()
    await takeScreenshots(page, 'week-bill')

    await page.getByRole('button', { name: 'Pay Now' }).click()
    const form = page.getByRole('dialog', { name: `Pay bill ${bill.number}` })
    await form.getByText(MERCHANT_NUMBER, { exact: true }).first().waitFor()
    const taka = await readCopiedText(page, () =>
      form.getByRole('button', { name: 'Copy total payable' }).click()
    )
    const trxId = freshTrx()
    await form.getByLabel('Account number').fill(PAYER_NUMBER)
    await form.getByLabel('Transaction ID').fill(trxId)
    await form.getByRole('button', { name: 'Send for approval' }).click()
    await waitForToast(page, 'Thank you. We are checking your payment')
    return { trxId, taka }
  }

  /** Staff approve the payment by the operator's statement of the day. */
  async function approve(page: Page, { trxId, taka }: { trxId: string; taka: string }) {
    const lines = [
      'SL,Trx Id,Transaction Date,Trx Type,Sender,Receiver,Transacted Amount,Fee',
      `1,${trxId},24/11/2026 09:10,Payment,${PAYER_NUMBER},${MERCHANT_NUMBER},"${taka}",1.85`,
    ]
    await visit(page, '/admin/billing/statements')
    await uploadStatement(page, uniqueName('bKash'), { name: 'day.csv', text: lines.join('\r\n') })
    await page.getByRole('button', { name: 'Read statement with these columns' }).click()
    const line = page.getByRole('row').filter({ hasText: trxId })
    await line.getByText('Exact').waitFor()
    await page.getByRole('button', { name: 'Approve 1 exact' }).click()
    const ask = page.getByRole('dialog', { name: 'Approve exact matches' })
    await ask.getByRole('button', { name: 'Approve' }).click()
    await line.getByText('Approved').waitFor()
    await takeScreenshots(page, 'week-statement')
  }

  async function seePaid(page: Page, bill: Bill, email: string): Promise<void> {
    await visit(page, `/billing/${bill.id}`)
    await page.getByRole('main').getByText('Success', { exact: true }).first().waitFor()
    const receipt = page.getByRole('link', { name: 'Receipt, English' })
    const printed = await page.request.get(
      new URL((await receipt.getAttribute('href'))!, page.url()).href
    )
    assert.equal((await printed.body()).subarray(0, 5).toString(), '%PDF-')
    await takeScreenshots(page, 'week-paid')
    const [letter] = await listMailsTo(email)
    assert.match(letter.subject, new RegExp(bill.number!))
  }

  async function askSupport(page: Page, staff: Page, account: Account): Promise<void> {
    await page.getByRole('button', { name: 'Live support', exact: true }).click()
    const panel = page.getByRole('dialog', { name: 'Live support' })
    await panel.getByRole('textbox', { name: 'Message' }).fill('How do I end it?')
    await page.keyboard.press('Enter')
    await staff.getByRole('link', { name: /Live Support.*new/ }).click()
    const clients = staff.getByRole('region', { name: 'Clients' })
    await clients.getByLabel('Search clients and messages').fill(String(account.id))
    await clients.getByRole('button', { name: new RegExp(`${account.name}.*unread`, 's') }).click()
    const log = staff.getByRole('log', { name: 'Messages' })
    await log.getByText('How do I end it?').waitFor()
    await staff
      .getByRole('textbox', { name: 'Message', exact: true })
      .fill('Delete it on its page. Its vault and its mail stay.')
    await staff.getByRole('button', { name: 'Send', exact: true }).click()
    await panel.getByText('Its vault and its mail stay.').waitFor()
    await takeScreenshot(page, 'week-support', false)
    await takeScreenshot(staff, 'week-support-staff', false)
    await panel.getByRole('button', { name: 'Close' }).first().click()
  }

  /** Deletes the instance. Checks that a colleague sees neither it nor its database, and its project as deleted. */
  async function end(page: Page, colleague: Page, instance: ServerInstance): Promise<void> {
    await visit(page, `/server-instance/${instance.id}`)
    await deleteInstance(page, instance.name)
    await eventually(async () => {
      await instance.refresh()
      assert.equal(instance.status, 'deleted')
    }, MACHINE_TIMEOUT_MS)
    await visit(colleague, '/server-instance/list')
    await colleague.getByText('No server instances yet').waitFor()
    await visit(colleague, '/project/list')
    await colleague
      .getByRole('row')
      .filter({ hasText: 'Boats' })
      .getByText('Deleted', { exact: true })
      .waitFor()
    await visit(colleague, '/database/mysql')
    assert.equal(await colleague.getByRole('link', { name: shop.name, exact: true }).count(), 0)
    await visit(page, '/')
    await takeScreenshots(page, 'week-end')
  }
})
