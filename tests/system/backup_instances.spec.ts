import { actorOf } from '#identity/public'
import { ServerPackage } from '#catalog/public'
import { backUpInstances } from '#backups/back_up_instances'
import Backup from '#backups/models/backup'
import { saveTargetStatus, saveBackupSettings } from '#backups/backup_settings'
import { listInstancesToBackUp } from '#backups/queries/instances'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import type { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import { orderInstance } from '#instances/actions/order_instance'
import type { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import { requestBackupJob } from '#packages/backup/client'
import { powerOff, removeContainer } from '#packages/incus/main'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'
import { makeCustomer } from '#tests/support/people'
import { importInstanceFromBackup } from '../../cli/backup/commands.js'
import {
  backupSocketPath,
  builtBackupServerCommand,
  listenOnBackupSocket,
} from '../../cli/backup/socket.js'
import { Restic } from '../../cli/backup/restic.js'
import { readHome } from '../../cli/berth_home.js'
import db from '@adonisjs/lucid/services/db'
import { test } from '@japa/runner'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const socket = process.env.INCUS_SOCKET

test.group('Backup of instances', (group) => {
  if (!socket || !existsSync(socket)) {
    test('skipped without Incus', () => {}).skip(true, 'needs an Incus: set INCUS_SOCKET')
    return
  }

  let host: HostInstance
  const undo: (() => Promise<unknown>)[] = []
  group.each.timeout(600_000)
  group.setup(async () => {
    undo.push(await disableOtherHosts())
    host = (await registerLocalHost()).host
    await host.merge({ status: 'active' }).save()
    return async () => {
      for (const each of undo.reverse()) await each()
    }
  })

  const run = async ({ id }: Operation) => {
    await runSteps(id)
    const { status, error } = await Operation.findOrFail(id)
    if (status !== 'done') throw new Error(`${status}: ${error}`)
  }

  async function order(backups: boolean): Promise<ServerInstance> {
    const customer = await actorOf(await makeCustomer())
    const { id } = await createSmallPackage('regular', { vcpu: 1, memoryMb: 512, diskGb: 2 })
    if (backups) {
      const row = await ServerPackage.findOrFail(id)
      row.specifications = { ...row.specifications, backups: { value: 'daily' } }
      await row.save()
    }
    const { instance, operation } = await orderInstance(customer, {
      name: uniqueName('site'),
      instanceType: 'regular',
      serverPackageId: id,
      billingPeriod: 'month',
    })
    undo.push(async () => run(await deleteInstance(customer, instance.id)))
    await run(operation)
    return instance.refresh()
  }

  test('an instance whose package includes backups is backed up, and restored with its data', async ({
    assert,
  }) => {
    const [kept, other] = [await order(true), await order(false)]
    const names = (await listInstancesToBackUp()).map(({ id }) => id)
    assert.include(names, kept.id)
    assert.notInclude(names, other.id)

    const home = readHome()
    const place = await mkdtemp(join(tmpdir(), 'berth-target-'))
    undo.push(() => rm(place, { recursive: true, force: true }))
    undo.push(await listenOnBackupSocket(home, builtBackupServerCommand))
    const keep = { hours: 1, days: 7, weeks: 1, months: 1 }
    const plan = { place, accessKeyId: null, region: null, active: true, every: 60, fullHour: 3 }
    await db.transaction((trx) => saveBackupSettings({ ...plan, keep }, trx))
    undo.push(
      () => db.from('backup_plan').delete(),
      () => db.from('backups').delete()
    )
    const signal = AbortSignal.timeout(500_000)
    await requestBackupJob(
      backupSocketPath(home),
      { job: 'look', target: { place } },
      { onProgress() {}, signal }
    )
    await saveTargetStatus(null)

    const machine = await connectToActiveInstance(kept)
    await machine.exec(['sh', '-c', 'echo the tide is out > /root/log && sync'], { user: 'root' })
    await backUpInstances({ reportProgress: async () => {}, signal })
    const rows = await Backup.query().where('kind', 'instance')
    assert.deepEqual(
      rows.map(({ status, systemId }) => [status, systemId]),
      [['done', kept.systemId]]
    )
    assert.isAbove(rows[0].bytes!, 50_000_000)
    // The instances were already backed up today, so a second run does nothing.
    await backUpInstances({ reportProgress: async () => {}, signal })
    assert.lengthOf(await Backup.query().where('kind', 'instance'), 1)

    const incus = incusClientFor(host)
    const name = kept.systemId!
    await powerOff(incus, name)
    await removeContainer(incus, name)
    const restic = new Restic({
      target: { place },
      key: home.secrets.backupKey,
      cache: join(place, '..', `${uniqueName('cache')}`),
    })
    const [snapshot] = await restic.snapshots({ kind: 'instance' })
    await importInstanceFromBackup(incus, restic, snapshot)
    const file = await incus.instances.pullFile(name, '/root/log')
    if (file.type !== 'file') throw new Error('no file')
    const text = Buffer.concat(await file.content.toArray()).toString()
    assert.equal(text, 'the tide is out\n')
    const operation = await incus.instances.setState(name, 'start')
    await operation.wait()
  })
})
