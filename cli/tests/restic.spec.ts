import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from '@japa/runner'
import { Restic } from '../backup/restic.js'

/** Replaces restic. Hangs, as restic 0.18 sometimes does if the disk is full. */
const HANGING_RESTIC_SCRIPT = `#!/bin/sh
echo 'Save(<data/f0db5cd46c>) failed: write /mnt/backup/data/f0/f0db5c-tmp-1: no space left on device' >&2
exec sleep 600
`

test.group('Backup | restic', (group) => {
  let folder: string
  const { PATH } = process.env

  group.each.setup(async () => {
    folder = await mkdtemp(join(tmpdir(), 'berth-restic-'))
    return () => {
      process.env.PATH = PATH
      return rm(folder, { recursive: true, force: true })
    }
  })

  test('restic is killed if it hangs after it has reported a full target', async ({ assert }) => {
    await writeFile(join(folder, 'restic'), HANGING_RESTIC_SCRIPT, { mode: 0o755 })
    process.env.PATH = `${folder}:${PATH}`
    const target = { place: '/mnt/backup' }
    const waits = { endsWithinMs: 500, stalledMs: 60_000 }
    const restic = new Restic({ target, key: 'key', cache: folder, waits })
    await assert.rejects(
      () => restic.backup(folder, ['restic'], { tags: {} }),
      'The target /mnt/backup is full. Existing backups are not damaged'
    )
  })
})
