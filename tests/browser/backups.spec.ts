import Backup from '#backups/models/backup'
import Operation from '#core/models/operation'
import { requestBackupJob } from '#packages/backup/client'
import { ServiceDatabase } from '#packages/service/database'
import {
  openBrowser,
  takeScreenshots,
  signInThroughPage,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { eventually } from '#tests/support/eventually'
import { makeStaff } from '#tests/support/people'
import { startWorker } from '#tests/support/worker'
import {
  backupSocketPath,
  builtBackupServerCommand,
  listenOnBackupSocket,
} from '../../cli/backup/socket.js'
import { readHome } from '../../cli/berth_home.js'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test.group('Backups', () => {
  test('an administrator sets a target, runs a backup and a restore test, and sees failures', async () => {
    // Other tests have deleted the folders with their vaults' objects. The restore test would report these objects as
    // missing.
    const vaults = new ServiceDatabase('berth-vault-test', process.env.VAULT_DATABASE_URL!, 1)
    await vaults.rows('delete from vault.objects')
    await vaults.close()
    const folder = await mkdtemp(join(tmpdir(), 'berth-target-'))
    const home = readHome()
    const close = await listenOnBackupSocket(home, builtBackupServerCommand)
    const stopWorker = await startWorker()
    const { context, page } = await openBrowser()
    const desk = await openBrowser()
    try {
      await signInThroughPage(page, await makeStaff('administrator'))
      await page.getByRole('button', { name: /^Administration/ }).click()
      await page.getByRole('link', { name: /^Backups/ }).click()
      await page.getByText('No backups yet').waitFor()
      const backUpNow = page.getByRole('button', { name: 'Back up now' })
      assert.match(
        (await backUpNow.getAttribute('aria-description'))!,
        /Set the backup target first/
      )
      await takeScreenshots(page, 'backups-none')

      await page.getByRole('button', { name: 'Set target' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Target').fill('not a whole path')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText(/Enter an absolute path such as/).waitFor()
      await dialog.getByLabel('Target').fill('s3:https://store.test/berth')
      await dialog.getByLabel('Secret key').waitFor()
      await takeScreenshots(page, 'backups-plan')
      await dialog.getByLabel('Target').fill(folder)
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByText(/A backup every 15 minutes/).waitFor({ timeout: 360_000 })

      await backUpNow.click()
      const table = page.getByRole('table', { name: 'Backups', exact: true })
      const full = table.getByRole('row', { name: /Full backup/ })
      await full.getByText(/^(Running|Done)$/).waitFor()
      await takeScreenshots(page, 'backups-running')
      await full.getByText('Done').waitFor({ timeout: 540_000 })

      await page.getByRole('button', { name: 'Run restore test now' }).click()
      const drill = table.getByRole('row', { name: /Restore test/ })
      await drill
        .getByText(/^Identical after the restore: [\d,]+ rows of \d+ tables/)
        .waitFor({ timeout: 720_000 })

      // Simulates that the backup disk is gone.
      await rm(folder, { recursive: true })
      await backUpNow.click()
      await page
        .getByText(/The last backup failed: .*Check that its disk is mounted/)
        .waitFor({ timeout: 360_000 })
      await takeScreenshots(page, 'backups-failed')
      await page.setViewportSize({ width: 390, height: 844 })
      await eventually(async () =>
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390)
      )
      assert.equal((await Backup.query().where('status', 'failed')).length, 1)

      await signInByRequest(desk.page, await makeStaff('support'))
      await visit(desk.page, '/admin/backup')
      const change = desk.page.getByRole('button', { name: 'Change settings', exact: true })
      assert.match((await change.getAttribute('aria-description'))!, /Only administrators/)
    } finally {
      await context.close()
      await desk.context.close()
      const signal = AbortSignal.timeout(300_000)
      await requestBackupJob(
        backupSocketPath(home),
        { job: 'off' },
        { onProgress: () => {}, signal }
      ).catch(() => {})
      await Promise.all([close(), stopWorker()])
      await rm(folder, { recursive: true, force: true })
      await db.from('backups').delete()
      await db.from('backup_plan').delete()
      await Operation.query().where('subjectType', 'backup').delete()
    }
  }).timeout(1_800_000)
})
