import Database from '#databases/models/database'
import { accountPrefix } from '#databases/servers/resolve_database_server'
import { type Mariadb, startMariadb } from '#databases/tests/managed_mariadb'
import { bucketOptionsAt, startS3rver } from '#packages/vault-service/tests/s3rver'
import { stopVaultService, sharedVaultService } from '#packages/vault-service/tests/test_service'
import {
  openBrowser,
  takeScreenshot,
  takeScreenshots,
  visit,
  openPageAs,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { makeCustomer, makeStaff } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import { syncAllVaults } from '#vault/actions/sync_vaults'
import { callVaultService } from '#vault/call_vault_service'
import { makeVault, startTestVaultService, upload } from '#vault/tests/fixtures'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'

/** Timeout for background work that runs only once a minute. */
const BACKGROUND_TIMEOUT_MS = 450_000

test.group('Vaults in several stores', () => {
  test('staff move a vault to another store, see the progress, and every object stays readable', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-other-store-'))
    const other = await startS3rver(folder)
    await stopVaultService()
    const { url } = await sharedVaultService(bucketOptionsAt(other.port))
    const holding = new pg.Client({ connectionString: process.env.VAULT_DATABASE_URL })
    await holding.connect()
    const { context, page } = await openBrowser()
    let reading = true
    try {
      const vault = await makeVault(await makeCustomer())
      // Too large for objects that are stored inline in the database.
      const words = 'Harbour dues '.repeat(2_000)
      for (const name of ['a.txt', 'b.txt', 'c.txt']) {
        assert.equal((await upload(vault, 'papers', name, words)).status, 200)
      }
      const read = async (name: string) => {
        const answer = await fetch(`${url}/${vault.key}/papers/${name}`)
        assert.equal(await answer.text(), words, name)
      }
      const readers = ['a.txt', 'b.txt', 'c.txt'].map(async (name) => {
        while (reading) await read(name)
      })
      await signInByRequest(page, await makeStaff())
      const list = `/admin/vault/list?search=${vault.key}`
      await syncAllVaults(new AbortController().signal)
      await visit(page, list)
      const row = page.getByRole('row').filter({ hasText: vault.key })
      await row.getByText('Folder', { exact: true }).waitFor()
      await page.getByRole('button', { name: `Move ${vault.name}` }).click()
      const moving = page.getByRole('dialog', { name: `Move ${vault.name}` })
      await moving.getByRole('radio', { name: 'Bucket' }).check()
      assert.ok(await moving.getByRole('radio', { name: 'Folder' }).isDisabled())
      await takeScreenshots(page, 'vault-move', false)
      // Locks the objects, so that none is moved before the page has shown how many are left.
      await holding.query('begin')
      await holding.query('select 1 from vault.objects where vault_id = $1 for update', [vault.id])
      await moving.getByRole('button', { name: 'Move vault' }).click()
      await moving.waitFor({ state: 'hidden' })
      const shows = (text: string) =>
        eventually(async () => {
          // The worker runs this every minute.
          await syncAllVaults(new AbortController().signal)
          await visit(page, list)
          assert.ok((await row.innerText()).includes(text), await row.innerText())
        }, BACKGROUND_TIMEOUT_MS)
      await shows('3 objects left to move')
      await holding.query('commit')
      await takeScreenshot(page, 'vault-moving')
      await shows('Bucket')
      reading = false
      await Promise.all(readers)
      const [{ store, toMove }] = await callVaultService('vaults', { ids: [vault.id] })
      assert.deepEqual([store, toMove], ['bucket', 0])
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await read(name)
    } catch (error) {
      await takeScreenshot(page, 'vault-move-stopped-here')
      throw error
    } finally {
      reading = false
      await holding.end()
      await context.close()
      await stopVaultService()
      await other.stop()
      await rm(folder, { recursive: true, force: true })
    }
  }).timeout(3 * BACKGROUND_TIMEOUT_MS)
})

test.group('Database backups in a vault', (group) => {
  let mariadb: Mariadb

  group.setup(async () => {
    mariadb = await startMariadb()
    const stopWorker = await startWorker()
    return async () => {
      await stopWorker()
      await mariadb.stop()
    }
  })

  test('backups of a database are stored in a vault, listed and restored', async () => {
    await startTestVaultService()
    const customer = await makeCustomer()
    const vault = await makeVault(customer, 'safe')
    await callVaultService('changeVault', { id: vault.id, isPrivate: true })
    const name = `${accountPrefix(customer.id)}shop`
    await mariadb.ask(`CREATE DATABASE ${name}`)
    await mariadb.ask(`CREATE TABLE ${name}.goods (id INT PRIMARY KEY)`)
    await mariadb.ask(`INSERT INTO ${name}.goods VALUES (1), (2)`)
    const database = await Database.create({
      accountId: customer.id,
      serverInstanceId: null,
      engine: 'mysql',
      name,
      status: 'active',
    })
    const page = await openPageAs(customer)
    await visit(page, `/database/mysql/${database.id}`)
    await page.getByRole('tab', { name: 'Backups' }).click()
    const copies = page.getByRole('tabpanel', { name: 'Backups' })
    await copies.getByRole('combobox', { name: 'Also copy to a vault' }).selectOption('safe')
    await copies.getByRole('button', { name: 'Save schedule' }).click()
    await eventually(async () => assert.equal((await database.refresh()).backupVaultId, vault.id))
    await copies.getByRole('button', { name: 'Back up now' }).click()
    const copy = copies.getByRole('row').filter({ hasText: 'Manual' }).first()
    await copy.getByText('Done', { exact: true }).waitFor({ timeout: BACKGROUND_TIMEOUT_MS })
    await copy.getByText('Copied: safe').waitFor({ timeout: BACKGROUND_TIMEOUT_MS })
    await takeScreenshots(page, 'vault-database-copies')

    await visit(page, `/vault/${vault.id}`)
    for (const folder of ['berth-databases', 'mysql', 'shop']) {
      await page.getByRole('link', { name: folder, exact: true }).click()
    }
    await page.getByRole('button', { name: /^\d+-\d{4}-\d\d-\d\d\.sql\.gz$/ }).waitFor()
    await takeScreenshots(page, 'vault-database-copies-there')

    await mariadb.ask(`DROP TABLE ${name}.goods`)
    await visit(page, `/database/mysql/${database.id}`)
    await page.getByRole('tab', { name: 'Backups' }).click()
    await copy.getByRole('button', { name: /^Actions for backup/ }).click()
    await page.getByRole('menuitem', { name: 'Restore' }).click()
    const restoring = page.getByRole('dialog', { name: /^Restore / })
    await restoring.getByRole('radio', { name: 'This database' }).check()
    await restoring.getByLabel(/to confirm$/).fill('shop')
    await restoring.getByRole('button', { name: 'Replace database' }).click()
    await restoring.waitFor({ state: 'hidden' })
    await eventually(async () => {
      const [{ n }] = await mariadb.ask<{ n: number }>(`SELECT COUNT(*) AS n FROM ${name}.goods`)
      assert.equal(Number(n), 2)
    }, BACKGROUND_TIMEOUT_MS)
  }).timeout(3 * BACKGROUND_TIMEOUT_MS)
})
