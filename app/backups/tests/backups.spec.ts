import { backUpInstance } from '#backups/back_up_instances'
import { alerts } from '#backups/monitoring'
import Backup from '#backups/models/backup'
import { listDueBackupJobs, type LastBackups } from '#backups/due_backup_jobs'
import { loadBackupSettings, loadBackupTarget, saveBackupSettings } from '#backups/backup_settings'
import { findBackupProblem } from '#backups/queries/backups'
import { backupPermissions } from '#backups/permissions'
import type { BackupPage } from '#backups/transformers/page_props'
import Operation from '#core/models/operation'
import { incusClientFor } from '#hosts/public_effects'
import { makeInstance } from '#guest/tests/instances'
import { uniqueName, startFakeHost } from '#tests/support/hosts'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { DateTime } from 'luxon'

const RETENTION = { hours: 1, days: 1, weeks: 1, months: 1 }
const plan = {
  place: '/mnt/harbour',
  region: null,
  accessKeyId: null,
  active: true,
  every: 15,
  fullHour: 3,
  keep: RETENTION,
}
const sent = {
  place: 's3:https://store.test/berth/one',
  access_key_id: 'id',
  region: 'eu-1',
  active: true,
  every: 15,
  full_hour: 3,
  ...RETENTION,
}

async function forgetAll() {
  await db.from('backups').delete()
  await db.from('backup_plan').delete()
  await Operation.query().where('subjectType', 'backup').delete()
}

const save = (change: Partial<Parameters<typeof saveBackupSettings>[0]> = {}) =>
  db.transaction((trx) => saveBackupSettings({ ...plan, ...change }, trx))

const noted = (row: Partial<Backup>) =>
  Backup.create({ status: 'done', startedAt: DateTime.utc(), ...row } as Partial<Backup>)

test.group('Backup settings', (group) => {
  let boss: Visitor

  group.setup(async () => {
    boss = await signIn(await makeStaff('administrator'))
  })
  group.each.setup(() => forgetAll)

  const page = async () => (await boss.page('/admin/backup')).json.props as unknown as BackupPage

  test('the secret key is stored encrypted, never shown, and not reused for another target', async ({
    assert,
  }) => {
    const answer = await boss.post('/admin/backup/plan', { ...sent, secret_access_key: 'known' })
    assert.equal(answer.status, 200)
    const [row] = await db.from('backup_plan')
    assert.notInclude(JSON.stringify(row), 'known')
    assert.equal((await loadBackupTarget())!.secretAccessKey, 'known')
    const shown = await page()
    assert.isTrue(shown.plan!.has_secret)
    assert.notInclude(JSON.stringify(shown), 'known')
    const [work] = await Operation.query().where('subjectType', 'backup')
    assert.equal(work.kind, 'backup.look')
    const said = JSON.stringify([
      work.serialize(),
      await db.from('audit_entries').orderBy('id', 'desc').limit(3),
    ])
    assert.notInclude(said, 'known')

    await boss.post('/admin/backup/plan', sent)
    assert.equal((await loadBackupTarget())!.secretAccessKey, 'known')
    await boss.post('/admin/backup/plan', { ...sent, place: 's3:https://other.test/b/o' })
    assert.isUndefined((await loadBackupTarget())!.secretAccessKey)
  })

  test('an invalid target is rejected at its field', async ({ assert }) => {
    for (const place of ['harbour', 'rclone:x', 's3:https://id:word@store.test/b', 's3:store/b']) {
      const answer = await boss.post('/admin/backup/plan', { ...sent, place })
      assert.equal(answer.status, 422, place)
      assert.match(JSON.stringify(answer.json), /Enter an absolute path such as/)
    }
    assert.isNull(await loadBackupSettings())
  })

  test('a backup can start only with a usable target and no running backup; the page shows the reason', async ({
    assert,
  }) => {
    const reasons: (string | null)[] = []
    const look = async () => reasons.push((await page()).mayRun.reason)
    await look()
    await save()
    await look()
    await db.from('backup_plan').update({ state: 'refused', trouble: 'No disk' })
    await look()
    await db.from('backup_plan').update({ state: 'ready', trouble: null })
    await look()
    await noted({ kind: 'point', status: 'running' })
    await look()
    assert.deepEqual(reasons, [
      'Set the backup target first.',
      'The target is being checked.',
      'The target cannot be used: No disk',
      null,
      'A backup is already running.',
    ])
    assert.equal((await boss.post('/admin/backup/run', {})).status, 409)
    const standing = { plan: await loadBackupSettings(), running: false, hasBackup: false }
    assert.match(backupPermissions.drill(standing).reason!, /no backup to test yet/)
  })

  test('staff see failed and missing backups on the page and as an alert', async ({ assert }) => {
    assert.isNull(await findBackupProblem())
    await save()
    await db.from('backup_plan').update({ state: 'ready' })
    assert.isNull(await findBackupProblem())
    await noted({ kind: 'full', startedAt: DateTime.utc().minus({ minutes: 40 }) })
    assert.isNull(await findBackupProblem())
    assert.match((await findBackupProblem(Date.now() + 600_000))!, /no backup since/)
    await noted({ kind: 'drill', status: 'failed', error: 'Not the same: a table' })
    assert.match((await findBackupProblem())!, /restore test failed: Not the same/)
    await noted({ kind: 'point', status: 'failed', error: 'The target is full' })
    assert.match((await findBackupProblem())!, /last backup failed: The target is full/)
    const [alert] = alerts
    const [trouble] = await alert.findProblems()
    assert.match(trouble.words, /The target is full/)
    await save({ active: false })
    assert.isNull(await findBackupProblem())
    assert.lengthOf(await alert.findProblems(), 0)
  })
})

test.group('Due backup jobs', () => {
  const none: LastBackups = {
    full: null,
    fullTried: null,
    point: null,
    drill: null,
    drillTried: null,
  }
  const now = DateTime.fromISO('2026-11-24T10:00:00+06:00', { setZone: true })
  const ago = (minutes: number) => now.minus({ minutes })
  const at = (last: Partial<LastBackups>, when = now) =>
    listDueBackupJobs(plan, { ...none, ...last }, when)
  const drilled = { drill: ago(60), drillTried: ago(60) }

  test('a full backup is due first and then daily, point-in-time backups in between, and a restore test after the first full backup', ({
    assert,
  }) => {
    assert.deepEqual(at({}), ['full'])
    const full = ago(120)
    assert.deepEqual(at({ full, fullTried: full, point: ago(14), ...drilled }), [])
    assert.deepEqual(at({ full, fullTried: full, point: ago(15), ...drilled }), ['point'])
    assert.deepEqual(at({ full, fullTried: full, point: ago(1) }), ['drill'])
    const old = now.set({ hour: 2, minute: 59 })
    assert.deepEqual(at({ full: old, fullTried: old, point: ago(1) }), ['full'])
    assert.deepEqual(at({ full: old, fullTried: old, point: ago(1), ...drilled }, old), [])
  })

  test('a failed full backup is retried later and does not stop point-in-time backups', ({
    assert,
  }) => {
    assert.deepEqual(at({ fullTried: ago(5) }), [])
    assert.deepEqual(at({ fullTried: ago(15) }), ['full'])
    const full = ago(60 * 30)
    assert.deepEqual(at({ full, fullTried: ago(5), point: ago(20) }), ['point'])
    assert.deepEqual(
      at({ full: ago(60), fullTried: ago(60), point: ago(1), drillTried: ago(60) }),
      []
    )
  })
})

test.group('Backups of instances', () => {
  test('fail for a container that does not belong to the instance’s row', async ({
    assert,
    cleanup,
  }) => {
    const { host, stop } = await startFakeHost()
    const name = uniqueName('foreign')
    await (await incusClientFor(host).instances.create({ name, image: 'berth-base' })).wait()
    const place = { systemId: name, hostInstanceId: host.id }
    const instance = await makeInstance(await makeCustomer(), place)
    cleanup(async () => {
      await instance.merge({ status: 'deleted', systemId: null }).save()
      await stop()
    })
    await instance.load('host')
    const target = { place: '/nowhere' }
    const work = () =>
      backUpInstance(
        instance,
        { ...plan, state: 'ready', trouble: null },
        target,
        AbortSignal.timeout(120_000)
      )
    await assert.rejects(work, /does not belong/)
  })
})
