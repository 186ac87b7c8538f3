import { ServerInstance } from '#instances/public'
import type Person from '#identity/models/person'
import { startMariadb } from '#databases/tests/managed_mariadb'
import { makeInstance } from '#projects/tests/fixtures'
import { assertAccessibleInBothColorSchemes } from '#tests/support/accessibility'
import { takeScreenshot, takeScreenshots, visit, openPageAs } from '#tests/support/browser'
import { createDatabase } from '#tests/support/browser_steps'
import { makeCustomer } from '#tests/support/people'
import { startSiteMachine, type SiteMachine } from '#tests/support/site_machine'
import { startWorker } from '#tests/support/worker'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'

const socket = process.env.INCUS_SOCKET
/** Timeout that includes downloading packages. */
const MACHINE_TIMEOUT_MS = 840_000

/** A small dump. It contains a DEFINER and a GRANT of another server, which the import must handle. */
const dump = `-- A shop
SET NAMES utf8mb4;
CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, buyer VARCHAR(60), note TEXT);
INSERT INTO orders (buyer, note) VALUES ('Ada', NULL), ('Nusrat', 'শুভ সকাল'), ('O''Neil', '');
CREATE DEFINER=\`root\`@\`localhost\` VIEW buyers AS SELECT DISTINCT buyer FROM orders;
GRANT SELECT ON orders TO buyer;
-- Dump completed
`
/** A password that meets the form's rules. */
const password = 'Harbour-Lights-9'
const broken = dump.replace('INSERT INTO', 'INSRT INTO')

/** Returns new names for each attempt of a test, because the server still has the databases of earlier attempts. */
const namesOfTry = (...names: string[]) => {
  const moment = Date.now() % 1e6
  return names.map((name) => `${name}_${moment}`)
}

/** Creates a database and its user through the form. Afterwards, the page is that of the database. */
const make = async (page: Page, name: string, user: string) => {
  await visit(page, '/database/mysql')
  await createDatabase(page, { name, user, password }, MACHINE_TIMEOUT_MS)
  await takeScreenshot(page, 'mysql-made')
}

const choose = async (page: Page, action: string) => {
  await page.getByRole('main').getByRole('button', { name: action, exact: true }).first().click()
  return page.getByRole('dialog')
}

const ask = async (page: Page, sql: string) => {
  const box = page.getByRole('textbox', { name: 'Query' })
  await box.fill(sql)
  await box.press('Control+Enter')
}

const importFile = async (page: Page, text: string) => {
  const dialog = await choose(page, 'Import')
  await dialog.locator('input[type="file"]').setInputFiles({
    name: 'shop.sql',
    mimeType: 'application/sql',
    buffer: Buffer.from(text),
  })
  await dialog.getByRole('button', { name: 'Import', exact: true }).click()
  await dialog.getByRole('button', { name: 'Done' }).waitFor({ timeout: MACHINE_TIMEOUT_MS })
  return dialog
}

test.group('MySQL', (group) => {
  if (!socket) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }
  let machine: SiteMachine
  let customer: Person

  group.setup(async () => {
    machine = await startSiteMachine(socket, { memory: '1GiB', disk: '6GiB' })
    const stopWorker = await startWorker()
    return async () => {
      await stopWorker()
      await ServerInstance.query().where('systemId', machine.system).update({ status: 'deleted' })
      await machine.close()
    }
  })

  /** Gives the instance to a new customer, whose list shows nothing of earlier tests. */
  const startAnew = async () => {
    const { system: systemId } = machine
    await ServerInstance.query().where({ systemId }).update({ status: 'deleted', systemId: null })
    const { hostInstanceId, privateIp, ip, ports, username, sshKey, hostKey } = machine.instance
    customer = await makeCustomer()
    const where = { systemId, hostInstanceId, privateIp, ip, ports, username, sshKey, hostKey }
    const room = { memoryBytes: 1024 ** 3, diskBytes: 6 * 1024 ** 3, vcpu: 1 }
    await makeInstance(customer, { ...where, ...room, instanceType: 'regular' })
  }

  /** Waits until the operation with this title has finished. The page shows its steps only while it runs. */
  const rest = async (page: Page, title: RegExp) => {
    const steps = page.getByRole('main').getByRole('region', { name: title })
    await steps.waitFor()
    await steps.waitFor({ state: 'hidden', timeout: MACHINE_TIMEOUT_MS })
  }

  test('a database is created, listed with its user, queried, given a new password and dropped', async () => {
    await startAnew()
    const [name, user] = namesOfTry('harbour', 'keeper')
    const signsIn = (word: string) =>
      machine.inside('mariadb', `-u${user}`, `-p${word}`, '-e', 'SELECT 1', name)
    const page = await openPageAs(customer)
    await visit(page, '/database/mysql')
    await takeScreenshots(page, 'mysql-first')
    await make(page, name, user)
    assert.equal((await signsIn(password)).exitCode, 0)

    await page.getByRole('tab', { name: 'Query' }).click()
    await ask(page, 'CREATE TABLE boats (id INT PRIMARY KEY, name VARCHAR(60))')
    await page.getByText('The query failed').waitFor()
    await takeScreenshots(page, 'mysql-query-failed')
    await page.getByRole('switch', { name: 'Read-only' }).click({ force: true })
    await ask(page, 'CREATE TABLE boats (id INT PRIMARY KEY, name VARCHAR(60))')
    await page.getByText(/^0 rows changed/).waitFor()
    await ask(page, "INSERT INTO boats VALUES (1, 'শুভ সকাল'), (2, NULL), (3, 'O''Neil')")
    await page.getByText(/^3 rows changed/).waitFor()
    await page.getByRole('switch', { name: 'Read-only' }).click({ force: true })
    await ask(page, "SELECT name FROM boats WHERE name LIKE 'O%'")
    await page.getByRole('table', { name: 'Result rows' }).getByText("O'Neil").waitFor()
    await takeScreenshots(page, 'mysql-query')
    await assertAccessibleInBothColorSchemes(page, 'mysql-query')

    await visit(page, new URL(page.url()).pathname)
    await page.getByRole('button', { name: 'Open boats' }).click()
    const grid = page.getByRole('table', { name: 'Rows of boats' })
    await grid.getByText('শুভ সকাল').waitFor()
    assert.equal(await grid.getByText('NULL', { exact: true }).count(), 1)
    await page.getByText('Structure', { exact: true }).click()
    await page.getByRole('table', { name: 'Indexes of boats' }).getByText('PRIMARY').waitFor()

    await page.getByRole('link', { name: 'MySQL', exact: true }).click()
    const keeper = page
      .getByRole('table', { name: 'Users' })
      .getByRole('row')
      .filter({ hasText: user })
    for (const cell of [user, 'localhost', name]) {
      await keeper.getByText(cell, { exact: true }).waitFor()
    }
    await keeper.getByRole('button', { name: `Actions for ${user}` }).click()
    await page.getByRole('menuitem', { name: 'Change password' }).click()
    const dialog = page.getByRole('dialog', { name: `Change password of ${user}` })
    await dialog.getByRole('button', { name: 'Generate' }).click()
    const fresh = await dialog.getByLabel(/^New password/).inputValue()
    await dialog.getByRole('button', { name: 'Change password' }).click()
    await dialog.getByText(fresh).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    assert.equal((await signsIn(fresh)).exitCode, 0)
    assert.notEqual((await signsIn(password)).exitCode, 0)
    await takeScreenshots(page, 'mysql-list')
    await assertAccessibleInBothColorSchemes(page, 'mysql-list')

    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    const dropping = await choose(page, 'Drop')
    await dropping.getByLabel(/to confirm$/).fill(name)
    await takeScreenshots(page, 'mysql-drop', false)
    await assertAccessibleInBothColorSchemes(page, 'mysql-drop')
    await dropping.getByRole('button', { name: 'Drop database' }).click()
    await page.getByRole('heading', { name: 'MySQL', level: 1 }).waitFor()
    await page.getByRole('link', { name, exact: true }).waitFor({ state: 'hidden' })
    assert.notEqual((await signsIn(fresh)).exitCode, 0)
  }).timeout(3 * MACHINE_TIMEOUT_MS)

  test('a dump is imported completely or not at all, exported, and restored from a backup', async () => {
    await startAnew()
    const [name, user] = namesOfTry('shop', 'buyer')
    const page = await openPageAs(customer)
    await make(page, name, user)
    const imported = await importFile(page, dump)
    await imported.getByText(/DEFINER/).waitFor()
    await takeScreenshots(page, 'mysql-imported', false)
    await imported.getByRole('button', { name: 'Done' }).click()

    // The error names the failing line, and the existing data is unchanged.
    const failed = await importFile(page, broken)
    await failed
      .getByText(/line 4/i)
      .first()
      .waitFor()
    await failed.getByText(/the database is unchanged/).waitFor()
    await takeScreenshots(page, 'mysql-import-failed', false)
    await failed.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Open orders' }).click()
    await page.getByRole('table', { name: 'Rows of orders' }).getByText('শুভ সকাল').waitFor()

    // Imports a file that is already on the instance. Such a file may have any size.
    const write = 'printf %s "$1" > /var/www/public_html/large.sql'
    await machine.inside('sh', '-c', write, 'sh', dump.replace('Ada', 'Grace'))
    const placed = await choose(page, 'Import')
    await placed.getByRole('radio', { name: 'A file on the instance' }).check()
    await placed.getByLabel('File path').fill('no/such.sql')
    await placed.getByRole('button', { name: 'Import', exact: true }).click()
    await placed.getByText(/The file does not exist/).waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await placed.getByRole('button', { name: 'Done' }).click()
    const other = await choose(page, 'Import')
    await other.getByRole('radio', { name: 'A file on the instance' }).check()
    await other.getByLabel('File path').fill('large.sql')
    await takeScreenshots(page, 'mysql-import-path', false)
    await other.getByRole('button', { name: 'Import', exact: true }).click()
    await other.getByText(/DEFINER/).waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await other.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('table', { name: 'Rows of orders' }).getByText('Grace').waitFor()

    const exporting = await choose(page, 'Export')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      exporting.getByRole('button', { name: 'Export', exact: true }).click(),
    ])
    assert.ok(download.suggestedFilename().startsWith(name), download.suggestedFilename())
    assert.match(download.suggestedFilename(), /\.sql$/)
    const text = await readFile(await download.path(), 'utf8')
    for (const words of ['Grace', 'শুভ সকাল', 'CREATE TABLE `orders`', 'buyers']) {
      assert.ok(text.includes(words), words)
    }

    await page.getByRole('tab', { name: 'Backups' }).click()
    const copies = page.getByRole('tabpanel', { name: 'Backups' })
    await copies.getByRole('button', { name: 'Back up now' }).click()
    const copy = copies.getByRole('row').filter({ hasText: 'Manual' }).first()
    await copy.getByText('Done', { exact: true }).waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await takeScreenshots(page, 'mysql-copies')
    await assertAccessibleInBothColorSchemes(page, 'mysql-copies')
    await copy.getByRole('button', { name: /^Actions for backup/ }).click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    const restoring = page.getByRole('dialog', { name: `Restore ${name}` })
    await restoring.getByRole('button', { name: 'Restore as new database' }).click()
    await restoring.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'MySQL', exact: true }).click()
    const restored = page.getByRole('link', { name: `${name}_restored`, exact: true })
    await restored.click({ timeout: MACHINE_TIMEOUT_MS })
    await page.getByRole('button', { name: 'Open orders' }).click()
    await page.getByRole('table', { name: 'Rows of orders' }).getByText('শুভ সকাল').waitFor()
  }).timeout(3 * MACHINE_TIMEOUT_MS)

  test('the server is stopped and started, and shows its status', async () => {
    await startAnew()
    const page = await openPageAs(customer)
    await visit(page, '/database/mysql')
    const server = page.getByRole('button', { name: /^MySQL server on/ })
    await page.getByText(/^(Not installed|Running)$/).waitFor()
    if (await page.getByText('Not installed').isVisible()) {
      await server.click()
      await page.getByRole('menuitem', { name: /^Install/ }).click()
      await rest(page, /Installing/)
    }
    await page.getByText('Running', { exact: true }).waitFor()
    await server.click()
    await page.getByRole('menuitem', { name: /^Stop/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop server' }).click()
    await page
      .getByText('Stopped', { exact: true })
      .first()
      .waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await server.click()
    await page.getByRole('menuitem', { name: /^Start/ }).click()
    await page.getByText('Running', { exact: true }).waitFor({ timeout: MACHINE_TIMEOUT_MS })
    await server.click()
    await page.getByRole('menuitem', { name: 'Log' }).click()
    await page
      .getByRole('log')
      .getByText(/ready for connections/i)
      .waitFor()
  }).timeout(2 * MACHINE_TIMEOUT_MS)
})

/** On the server that Berth manages, database names have the account's prefix. */
test.group('MySQL on the managed server', (group) => {
  group.setup(async () => {
    const mariadb = await startMariadb()
    const stopWorker = await startWorker()
    return async () => {
      await stopWorker()
      await mariadb.stop()
    }
  })

  test('a database is created, filled, dropped and restored from its last backup', async () => {
    const customer = await makeCustomer()
    const [name, user] = namesOfTry('shop', 'buyer')
    const page = await openPageAs(customer)
    await make(page, name, user)
    const imported = await importFile(page, dump)
    await imported.getByText(/DEFINER/).waitFor()
    await imported.getByText(/^This import skipped 1 statement: GRANT \(line 6\)/).waitFor()
    await imported.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('tab', { name: 'Query' }).click()
    await ask(page, "SELECT buyer FROM orders WHERE buyer LIKE 'O%'")
    await page.getByRole('table', { name: 'Result rows' }).getByText("O'Neil").waitFor()

    await page.getByRole('tab', { name: 'Backups' }).click()
    const copies = page.getByRole('tabpanel', { name: 'Backups' })
    await copies.getByRole('button', { name: 'Back up now' }).click()
    const copy = copies.getByRole('row').filter({ hasText: 'Manual' }).first()
    await copy.getByText('Done', { exact: true }).waitFor({ timeout: MACHINE_TIMEOUT_MS })
    const dropping = await choose(page, 'Drop')
    await dropping.getByLabel(/to confirm$/).fill(name)
    await dropping.getByRole('button', { name: 'Drop database' }).click()
    await page.getByRole('heading', { name: 'MySQL', level: 1 }).waitFor()

    const dropped = page.getByRole('region', { name: 'Backups of dropped databases' })
    await dropped.getByText(name, { exact: true }).first().waitFor()
    await takeScreenshots(page, 'mysql-managed-dropped')
    await dropped
      .getByRole('button', { name: /^Actions for backup/ })
      .first()
      .click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    const restoring = page.getByRole('dialog', { name: `Restore ${name}` })
    await takeScreenshots(page, 'mysql-managed-restore', false)
    await restoring.getByRole('button', { name: 'Restore', exact: true }).click()
    await restoring.waitFor({ state: 'hidden' })
    await page.getByRole('link', { name, exact: true }).click({ timeout: MACHINE_TIMEOUT_MS })
    await page.getByRole('button', { name: 'Open orders' }).click()
    await page.getByRole('table', { name: 'Rows of orders' }).getByText('শুভ সকাল').waitFor()
  }).timeout(2 * MACHINE_TIMEOUT_MS)
})
