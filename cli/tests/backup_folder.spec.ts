import { test } from '@japa/runner'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BackupFolder } from '../backup/backup_folder.js'
import { DatabaseBackupSource } from '../backup/database_backup_source.js'
import { openHome } from '../berth_home.js'
import { listSyncedPaths } from './synced_paths.js'

/** After a power failure, a rename must not be undone if its source was deleted, or if a later backup relies on it. */
test.group('The backup folder', (group) => {
  let path: string
  let folder: BackupFolder
  group.setup(async () => {
    path = await mkdtemp(join(tmpdir(), 'berth-backup-folder-'))
    folder = new BackupFolder(await openHome(join(path, 'home')))
    for (const each of [folder.wal, folder.bases]) await mkdir(each, { recursive: true })
    return () => rm(path, { recursive: true })
  })

  test('a base backup is synced to disk before it counts', async ({ assert }) => {
    const base = {
      id: 'one',
      data: 'd1',
      again: null,
      wal: '0'.repeat(24),
      ready: new Date().toISOString(),
      read: [1, 2] as [number, number],
      postgres: '17',
    }
    const files = { label: Buffer.from('label'), control: Buffer.from('control') }
    const synced = await listSyncedPaths(() => folder.writeBase(base, files))
    for (const name of ['backup_label', 'pg_control'])
      assert.include(synced, join(folder.bases, 'one.new', name))
    assert.equal(synced.at(-1), folder.bases)
    assert.deepEqual(await folder.readBases(), [base])
  })

  test('a WAL file is synced to disk before it is deleted from the archive', async ({ assert }) => {
    const archive = join(path, 'archive')
    await mkdir(archive)
    await writeFile(join(archive, 'segment.gz'), 'content')
    const { collect } = DatabaseBackupSource.prototype
    const synced = await listSyncedPaths(() =>
      collect.call({ archive } as DatabaseBackupSource, folder)
    )
    assert.deepEqual(synced, [join(folder.path, 'piece.new'), folder.wal])
  })
})
