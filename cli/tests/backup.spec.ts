import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from '@japa/runner'
import type { BackupRequestError } from '../../packages/backup/client.js'
import { verifyVaultFiles, checksumTables } from '../backup/verify_restore.js'
import {
  connectWithSafeSearchPath,
  DatabaseBackupSource,
} from '../backup/database_backup_source.js'
import { filterBackupPoints } from '../backup/restore_from_point.js'
import { Restic } from '../backup/restic.js'
import { restoreHome } from '../backup/restore_home.js'
import { findLockHolder, openHome, StateFile } from '../berth_home.js'
import { pollUntil } from './poll_until.js'
import { openDatabase } from '../postgres/open_database.js'
import {
  KEEP_ALL_POINTS,
  BackupFixture,
  removeHomeTemplate,
  removeHomeData,
  createHomeTemplate,
  type HomeTemplate,
  queryAt,
} from './backup_fixture.js'

/**
 * Time limits for restic if the target is full. They are shorter than the defaults, because the tests' disk is fast.
 */
const WAITS = { endsWithinMs: 2_000, stalledMs: 10_000 }

interface Sum {
  sum: string
  count: string
}

test.group('Backup and restore', (group) => {
  let pattern: HomeTemplate
  let ground: BackupFixture

  group.each.timeout(900_000)
  group.setup(async () => {
    pattern = await createHomeTemplate()
    return () => removeHomeTemplate(pattern)
  })
  group.each.setup(async () => {
    ground = await BackupFixture.make(pattern)
    return () => ground.end()
  })

  const restic = (key = ground.home.secrets.backupKey) =>
    new Restic({ target: ground.target, key, cache: join(ground.folder, 'cache') })

  /** Restores the backups into the folder `name`, as of `at` (default: the newest backup), and starts the database. */
  async function restored(name: string, at?: Date) {
    const path = join(ground.folder, name)
    const { backupKey: key } = ground.home.secrets
    const options = { target: ground.target, key, at, replace: false, path, onProgress: () => {} }
    const result = await restoreHome(options)
    const home = await openHome(path)
    const database = await openDatabase(home, { fast: true, env: {} })
    return {
      result,
      home,
      path,
      url: database.ownerUrl,
      async end() {
        await database.stop()
        await removeHomeData(home)
      },
    }
  }

  test('a restore contains every write that was acknowledged before the backup point, even under load', async ({
    assert,
  }) => {
    const acknowledged: { name: string; at: number }[] = []
    const uploads = { go: true }
    const load = (async () => {
      for (let number = 0; uploads.go; number++) {
        await ground.upload(`file-${number}`)
        acknowledged.push({ name: `file-${number}`, at: Date.now() })
        if (number % 5 === 4) await ground.deleteObject(`file-${number - 2}`)
      }
    })()
    const first = await ground.backup(true)
    const second = await ground.backup()
    uploads.go = false
    await load
    assert.isTrue(first.full)
    assert.isFalse(second.full)

    const again = await restored('again')
    try {
      const client = await connectWithSafeSearchPath(again.url)
      const bodies = await verifyVaultFiles(client, join(again.path, 'vault'))
      assert.deepEqual(bodies.wrong, [])
      const names = new Set(
        (await queryAt<{ name: string }>(again.url, 'select name from vault.objects')).map(
          ({ name }) => name
        )
      )
      await client.end()
      const point = new Date(second.at!).getTime()
      const deleted = (name: string) => Number(name.slice(5)) % 5 === 2
      const before = acknowledged.filter(({ name, at }) => at < point && !deleted(name))
      assert.isAbove(before.length, 0)
      assert.deepEqual(
        before.filter(({ name }) => !names.has(name)),
        []
      )
      // Objects that were uploaded after the recovery point are not restored.
      assert.isBelow(names.size, acknowledged.length)
      assert.equal(again.home.secrets.appKey, ground.home.secrets.appKey)
      assert.equal(again.home.machine, ground.home.machine)
      // Rows that were created after the recovery point may have files or containers. So the restored database must not
      // use their IDs again.
      const sequences = `select sum(last_value) as sum, count(*) from pg_sequences where last_value > 0`
      const [{ sum: restoredSum, count }] = await queryAt<Sum>(again.url, sequences)
      const [{ sum }] = await ground.sql<Sum>(sequences)
      assert.isAbove(Number(restoredSum) - Number(sum), 900_000 * Number(count))
      const [{ id }] = await queryAt<{ id: string }>(
        again.url,
        `select nextval(pg_get_serial_sequence('server_instances', 'id')) as id`
      )
      assert.isAtLeast(Number(id), 1_000_000)
    } finally {
      await again.end()
    }
  })

  test('a home can be restored to any time after the first full backup', async ({ assert }) => {
    await ground.sql('create table tides (words text)')
    await ground.backup(true)
    await ground.sql(`insert into tides values ('low')`)
    const [{ at }] = await ground.sql<{ at: Date }>(
      `select clock_timestamp() + interval '5 milliseconds' as at, pg_sleep(0.01)`
    )
    await ground.sql(`insert into tides values ('high')`)
    await ground.backup()
    // It must still be possible to restore a time before a later full backup.
    await ground.sql(`insert into tides values ('low again')`)
    await ground.backup(true)

    const words = async (url: string) =>
      (await queryAt<{ words: string }>(url, 'select words from tides')).map((row) => row.words)
    const then = await restored('then', at)
    assert.deepEqual(await words(then.url), ['low'])
    await then.end()
    const newest = await restored('newest')
    assert.deepEqual(await words(newest.url), ['low', 'high', 'low again'])
    await newest.end()
    await assert.rejects(
      () => restored('never', new Date(0)),
      /do not contain 1970.*Choose .* or later\. Nothing was changed/
    )
    await assert.rejects(() => restored('late', new Date(Date.now() + 1e9)), /The newest backup is/)
  })

  test('after a restore, backups of the home continue with a new full backup', async ({
    assert,
  }) => {
    await ground.backup(true)
    const again = await restored('again')
    try {
      const { runBackupJob } = await import('../backup/backup_job.js')
      const told = { onProgress: () => {}, signal: ground.signal, path: again.path }
      const job = {
        job: 'backup',
        target: ground.target,
        full: false,
        keep: KEEP_ALL_POINTS,
      } as const
      assert.isTrue((await runBackupJob(job, told)).full)
      assert.isFalse((await runBackupJob(job, told)).full)
    } finally {
      await again.end()
    }
  })

  test('restoring rejects a home with data, a wrong key and an empty target, and changes nothing', async ({
    assert,
  }) => {
    await ground.backup(true)
    const { backupKey: key } = ground.home.secrets
    const options = { target: ground.target, key, replace: false, onProgress: () => {} }
    await assert.rejects(
      () => restoreHome({ ...options, path: ground.home.path }),
      /has data already \(secrets\.json.*--replace/
    )
    await assert.rejects(
      () => restoreHome({ ...options, path: ground.home.path, replace: true }),
      /Berth runs.*Nothing was changed.*systemctl stop/
    )
    assert.isTrue(existsSync(join(ground.home.path, 'secrets.json')))
    const path = join(ground.folder, 'other')
    await assert.rejects(
      () => restoreHome({ ...options, path, key: 'wrong' }),
      /This backup key does not open the backups/
    )
    const nowhere = { place: join(ground.folder, 'nowhere') }
    await assert.rejects(
      () => restoreHome({ ...options, path, target: nowhere }),
      /There are no backups of Berth at/
    )
    assert.isFalse(existsSync(join(path, 'secrets.json')))
    assert.isFalse(existsSync(nowhere.place))

    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'secrets.json'), '{"appKey":"of before"}')
    const incusFolder = join(ground.folder, 'incus')
    new StateFile(path).set('incusPlace', incusFolder)
    const { aside } = await restoreHome({ ...options, path, replace: true })
    assert.include(await readFile(join(aside!, 'secrets.json'), 'utf8'), 'of before')
    assert.equal(new StateFile(path).get('incusPlace'), incusFolder)
    await removeHomeData(await openHome(path))
  })

  test('a backup that was killed does not count, and the next backup succeeds', async ({
    assert,
  }) => {
    await ground.upload('first', Buffer.alloc(30_000_000, 'a'))
    await ground.backup(true)
    for (const when of ['Copying the database', 'Copying files', 'Archiving']) {
      await ground.upload(`before ${when}`, Buffer.alloc(3_000_000, when))
      const { builtBackupServerCommand, listenOnBackupSocket, backupSocketPath } =
        await import('../backup/socket.js')
      const close = await listenOnBackupSocket(ground.home, builtBackupServerCommand)
      const { requestBackupJob } = await import('../../packages/backup/client.js')
      const lock = join(ground.home.path, 'backup/own/job.pid')
      const kill = () => process.kill(findLockHolder(lock)!, 'SIGKILL')
      const job = {
        job: 'backup',
        target: ground.target,
        full: true,
        keep: KEEP_ALL_POINTS,
      } as const
      const before = filterBackupPoints(await restic().snapshots()).length
      await assert.rejects(() =>
        requestBackupJob(backupSocketPath(ground.home), job, {
          onProgress: (note) => void (note.startsWith(when) && kill()),
        })
      )
      await close()
      assert.lengthOf(filterBackupPoints(await restic().snapshots()), before)
    }
    const outcome = await ground.backup()
    assert.exists(outcome.at)
    const drill = await ground.job({ job: 'drill', target: ground.target })
    assert.equal(drill.objects, 4)
  })

  test('a target that is missing, unreachable, invalid or full is reported, and its backups stay intact', async ({
    assert,
  }) => {
    await ground.backup(true)
    const gone = { place: join(ground.folder, 'unplugged') }
    await assert.rejects(
      () => ground.job({ job: 'backup', target: gone, full: false, keep: KEEP_ALL_POINTS }),
      /Check that its disk is mounted/
    )
    assert.isFalse(existsSync(gone.place))
    const away = { place: 's3:http://127.0.0.1:1/bucket/berth' }
    await assert.rejects(
      () => ground.job({ job: 'backup', target: away, full: false, keep: KEEP_ALL_POINTS }),
      /cannot be reached/
    )
    await assert.rejects(
      () => ground.job({ job: 'look', target: { place: 'rclone:anything' } }),
      /Enter a target as an absolute path/
    )

    if (process.getuid?.() !== 0) return
    const small = join(ground.folder, 'small')
    await mkdir(small)
    await run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'berth-small', small])
    try {
      const target = { place: small }
      await ground.job({ job: 'look', target })
      await ground.job({ job: 'backup', target, full: true, keep: KEEP_ALL_POINTS })
      const { randomBytes } = await import('node:crypto')
      await ground.upload('large', randomBytes(40_000_000))
      await assert.rejects(
        () => ground.job({ job: 'backup', target, full: false, keep: KEEP_ALL_POINTS }, WAITS),
        /is full\. Existing backups are not damaged/
      )
      const there = new Restic({
        target,
        key: ground.home.secrets.backupKey,
        cache: join(ground.folder, 'cache'),
      })
      assert.lengthOf(filterBackupPoints(await there.snapshots()), 1)
      const to = join(ground.folder, 'from-small')
      await there.restore(filterBackupPoints(await there.snapshots())[0].id, to)
      assert.isTrue(existsSync(join(to, 'secrets.json')))
    } finally {
      await run('umount', [small])
    }
  })

  test('a vault of another Berth installation can be a backup target, and a wrong S3 key is rejected', async ({
    assert,
  }) => {
    const elsewhere = await BackupFixture.make(pattern)
    const service = await elsewhere.serveVault()
    try {
      await service.control.call('makeVault', { id: 2, accountId: 7, key: 'lighthouse' })
      const made = { id: 2, name: 'backups', readOnly: false }
      const { accessKeyId, secret } = await service.control.call('makeKey', made)
      const place = `s3:${service.url}/lighthouse/berth`
      const target = { place, accessKeyId, secretAccessKey: secret }
      await ground.job({ job: 'look', target })
      await ground.upload('afar')
      await ground.job({ job: 'backup', target, full: true, keep: KEEP_ALL_POINTS })
      const path = join(ground.folder, 'from-store')
      const { backupKey: key } = ground.home.secrets
      await restoreHome({ target, key, replace: false, path, onProgress: () => {} })
      assert.isTrue(existsSync((await ground.fileOf('afar')).replace(ground.home.path, path)))
      await removeHomeData(await openHome(path))
      // Must be the last request: after too many wrong keys, the server blocks the client.
      const wrong = { ...target, secretAccessKey: 'another' }
      await assert.rejects(
        () => ground.job({ job: 'look', target: wrong }),
        /cannot be written|cannot be reached|ended with code/
      )
    } finally {
      await service.stop()
      await elsewhere.end()
    }
  })

  test('the restore test reports a changed object, a changed table and a wrong key', async ({
    assert,
  }) => {
    await ground.upload('kept')
    for (const name of ['changed', 'short', 'lost']) await ground.upload(name)
    await ground.upload('small', Buffer.from('a row of the database'))
    await ground.backup(true)
    const drill = () => ground.job({ job: 'drill', target: ground.target })
    const good = await drill()
    assert.equal(good.objects, 5)
    assert.equal(good.secrets, 2)
    assert.isAbove(good.rows!, 2)
    assert.isFalse(existsSync(join(ground.home.path, 'backup/own/drill')))

    const change = async (name: string, changed: (bytes: Buffer) => Buffer) => {
      const file = await ground.fileOf(name)
      await writeFile(file, changed(await readFile(file)))
    }
    await change('changed', (bytes) =>
      Buffer.concat([bytes.subarray(0, -1), Buffer.of(bytes.at(-1)! ^ 1)])
    )
    await change('short', (bytes) => bytes.subarray(0, -1))
    await unlink(await ground.fileOf('lost'))
    await assert.rejects(
      drill,
      /^These differ after the restore: object changed of vault 1; object lost of vault 1; object short of vault 1$/
    )
    for (const name of ['changed', 'short', 'lost']) await ground.deleteObject(name)
    await ground.sql(`update vault.vaults set link_key = 'nothing that was sealed'`)
    await assert.rejects(drill, /These differ after the restore: a secret of vault/)
  })

  test('a table’s checksum changes if one row changes', async ({ assert }) => {
    const client = await connectWithSafeSearchPath(ground.database.ownerUrl)
    await client.query('create table one (a int, b text)')
    await client.query(`insert into one values (1, 'x'), (2, 'y')`)
    const before = await checksumTables(client)
    await client.query(`update one set b = 'z' where a = 2`)
    const after = await checksumTables(client)
    await client.end()
    assert.equal(before.get('public.one')!.rows, 2)
    assert.notEqual(before.get('public.one')!.sum, after.get('public.one')!.sum)
  })

  test('the restore test runs no SQL function that the console’s own role created', async ({
    assert,
  }) => {
    const raise = `language plpgsql as $$ begin raise exception 'run as %', current_user; end $$`
    // `berth_app` cannot create schemas. It can create objects only in `pgboss`, the queue of earlier releases.
    await ground.sql('create schema postgres')
    await ground.sql(`create function postgres.hashtextextended(text, int) returns bigint ${raise}`)
    await ground.sql('create schema pgboss; grant usage, create on schema pgboss to berth_app')
    const made = `create table pgboss.made (a int);
      insert into pgboss.made values (1);
      create function pgboss.told(pgboss.made) returns text ${raise};
      create cast (pgboss.made as text) with function pgboss.told(pgboss.made)`
    await queryAt(ground.database.appUrl, made)
    await ground.backup(true)
    assert.isAbove((await ground.job({ job: 'drill', target: ground.target })).rows!, 1)
  })

  test('files of deleted objects are kept until the next backup point, or removed at once if backups are off', async ({
    assert,
  }) => {
    const { sweepDoomedBodies } = await import('../../packages/vault-service/upkeep/sweep.js')
    const { Database } = await import('../../packages/vault-service/store/database.js')
    const { FolderBodyStorage } =
      await import('../../packages/vault-service/store/folder_body_storage.js')
    const { bodiesFolder } = await import('../../packages/vault-service/folders.js')
    const database = new Database(ground.database.ownerUrl, 1)
    const folder = new FolderBodyStorage(bodiesFolder(join(ground.home.path, 'vault')))
    const sweep = () => sweepDoomedBodies(database, { folder }, { grace: 0 })
    const remove = async (name: string) => {
      await ground.upload(name)
      const file = await ground.fileOf(name)
      await ground.deleteObject(name)
      return file
    }
    try {
      await ground.backup(true)
      const first = await remove('first')
      await sweep()
      assert.isTrue(existsSync(first))
      await ground.backup()
      await sweep()
      assert.isFalse(existsSync(first))
      // Simulates that backups failed for so long that the vault removes files again. After the next backup, it must
      // keep them again.
      const expire = `update vault.backed_up set until = now() - interval '1 day'`
      await ground.sql(expire)
      const source = await DatabaseBackupSource.open(ground.home)
      await source.holdDeleted(3)
      await source.close()
      const third = await remove('third')
      await sweep()
      assert.isTrue(existsSync(third))
      await ground.job({ job: 'off' })
      const second = await remove('second')
      await sweep()
      assert.isFalse(existsSync(second))
    } finally {
      await database.close()
    }
  })

  test('without scheduled backups, no WAL is kept before or after a manual backup', async ({
    assert,
  }) => {
    const archive = join(ground.home.path, 'postgres', 'archive')
    const wal = join(ground.home.path, 'backup/own/wal')
    await ground.job({ job: 'backup', target: ground.target, full: true })
    assert.deepEqual(readdirSync(archive), [])
    assert.deepEqual(readdirSync(wal), [])
    const again = await restored('again')
    await again.end()
  })

  test('old backup points are removed by age, together with base backups that only they needed', async ({
    assert,
  }) => {
    const few = { hours: 0, days: 0, weeks: 0, months: 0 }
    for (let times = 0; times < 4; times++) await ground.backup(true, few)
    assert.lengthOf(filterBackupPoints(await restic().snapshots()), 2)
    // Each recovery point also needs the base backup before it. So there may be one base backup more than there are
    // points.
    assert.isAtMost((await restic().snapshots({ kind: 'data' })).length, 3)
    const again = await restored('again')
    await again.end()
  })

  test('a truncated export of an instance is not stored', async ({ assert }) => {
    const { Readable } = await import('node:stream')
    const { storeInstanceExport } = await import('../backup/backup_job.js')
    const doing = { onProgress: () => {}, signal: ground.signal, path: ground.home.path }
    const job = {
      job: 'instance',
      target: ground.target,
      name: 'c1',
      keep: KEEP_ALL_POINTS,
    } as const
    const bytes = Buffer.alloc(3_000_000, 'tar')
    const send = (sent: Buffer) =>
      storeInstanceExport({ ...job, size: bytes.length }, Readable.from([sent]), doing)
    await assert.rejects(() => send(bytes.subarray(0, 2_000_000)))
    assert.lengthOf(await restic().snapshots({ kind: 'instance' }), 0)
    assert.equal((await send(bytes)).bytes, bytes.length)
    assert.lengthOf(await restic().snapshots({ kind: 'instance' }), 1)
  })

  test('a backup job fails if the instance’s export breaks off, and the next job succeeds', async ({
    assert,
  }) => {
    const { Readable } = await import('node:stream')
    const { builtBackupServerCommand, listenOnBackupSocket, backupSocketPath } =
      await import('../backup/socket.js')
    const { requestBackupJob } = await import('../../packages/backup/client.js')
    const close = await listenOnBackupSocket(ground.home, builtBackupServerCommand)
    const job = {
      job: 'instance',
      target: ground.target,
      name: 'c1',
      keep: KEEP_ALL_POINTS,
      size: 3_000_000,
    } as const
    const send = (body: InstanceType<typeof Readable>) =>
      requestBackupJob(backupSocketPath(ground.home), job, { onProgress: () => {}, body })
    async function* breaking() {
      yield Buffer.alloc(2_000_000)
      throw new Error('its host does not answer')
    }
    await assert.rejects(
      () => send(Readable.from(breaking())),
      'The data to back up was cut off: its host does not answer'
    )
    // Retries, because the interrupted job may still be stopping.
    const sent = await pollUntil(() =>
      send(Readable.from([Buffer.alloc(3_000_000)])).catch((error: BackupRequestError) => {
        if (error.code !== 'busy') throw error
        return undefined
      })
    )
    assert.equal(sent.bytes, 3_000_000)
    assert.lengthOf(await restic().snapshots({ kind: 'instance' }), 1)
    await close()
  })

  test('an invalid instance name is rejected, such as a name that would add tags to the backup', async ({
    assert,
  }) => {
    const { Readable } = await import('node:stream')
    const { storeInstanceExport } = await import('../backup/backup_job.js')
    const doing = { onProgress: () => {}, signal: ground.signal, path: ground.home.path }
    const job = { job: 'instance', target: ground.target, keep: KEEP_ALL_POINTS, size: 3 } as const
    for (const name of ['c1,kind=point', '../c1', '-c1', '']) {
      const sending = () => storeInstanceExport({ ...job, name }, Readable.from(['tar']), doing)
      await assert.rejects(sending, /There is no instance named/)
    }
    assert.deepEqual(await restic().snapshots(), [])
  })

  test('the process list shows no secret during a backup, and no log contains the backup key', async ({
    assert,
  }) => {
    await ground.upload('large', Buffer.alloc(50_000_000, 'x'))
    const seen: string[] = []
    const looking = setInterval(() => {
      for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
        try {
          seen.push(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
        } catch {}
      }
    }, 20)
    const target = { ...ground.target, accessKeyId: 'known-id', secretAccessKey: 'known-secret' }
    await ground.job({ job: 'backup', target, full: true, keep: KEEP_ALL_POINTS })
    clearInterval(looking)
    const all = seen.join('\n')
    assert.include(all, 'restic')
    for (const secret of [...Object.values(ground.home.secrets), 'known-secret']) {
      assert.notInclude(all, secret)
    }
    for (const name of await readdir(ground.home.logs)) {
      const log = readFileSync(join(ground.home.logs, name), 'utf8')
      assert.notInclude(log, ground.home.secrets.backupKey)
    }
  })
})

async function run(name: string, argv: string[]): Promise<void> {
  const child = spawn(name, argv, { stdio: 'ignore' })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${name} ended with code ${code}`)
}
