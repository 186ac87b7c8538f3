import { test } from '@japa/runner'
import {
  assertTimeInBackups,
  chooseBackupPoint,
  filterBackupPoints,
} from '../backup/restore_from_point.js'
import type { Snapshot } from '../backup/restic.js'

const time = (minute: number) => `2026-11-28T10:${String(minute).padStart(2, '0')}:00.000Z`
const copy = (id: string, minute: number): Snapshot => ({
  id,
  time: time(minute),
  tags: { kind: 'data', base: id },
})
const point = (id: string, minute: number, data: string): Snapshot => ({
  id,
  time: time(minute),
  tags: { kind: 'point', at: time(minute), name: id, data },
})

test.group('Restoring a given time', () => {
  // At minute 20, the database was moved to another server, so the next backup started with a new base backup.
  const there = [
    copy('old', 5),
    point('one', 10, 'old'),
    point('two', 20, 'old'),
    copy('new', 30),
    point('three', 31, 'new'),
    point('four', 45, 'new'),
  ]
  /**
   * Recovery points of earlier releases do not have the tag `ready`. For these, the time is read from the record of
   * their base backup, which was complete one minute after its start.
   */
  const fetchReady = async ({ tags }: Snapshot) => time(tags.data === 'old' ? 6 : 31)
  const restore = async (minute: number) => {
    const at = new Date(time(minute))
    const chosen = chooseBackupPoint(filterBackupPoints(there), at)
    await assertTimeInBackups(there, chosen, at, fetchReady)
    return chosen.id
  }

  test('a time before a move of the database is restored from the backups before the move', async ({
    assert,
  }) => {
    assert.equal(await restore(15), 'two')
    assert.equal(await restore(40), 'four')
  })

  test('a time between the last backup before a move of the database and the first backup after the move is rejected, and the error names the nearest times', async ({
    assert,
  }) => {
    await assert.rejects(
      () => restore(25),
      `The backups do not contain ${time(25)}. A move of the database and a pause of the backups leave such a gap. Choose ${time(20)} or earlier, or ${time(31)} or later. Nothing was changed`
    )
  })

  test('a time during the first base backup is rejected, and the error names the time at which this backup was complete', async ({
    assert,
  }) => {
    const first = point('one', 10, 'old')
    first.tags.ready = time(8)
    const check = (minute: number) =>
      assertTimeInBackups([copy('old', 5), first], first, new Date(time(minute)), fetchReady)
    await assert.rejects(
      () => check(6),
      `The backups do not contain ${time(6)}. Choose ${time(8)} or later. Nothing was changed`
    )
    await assert.doesNotReject(() => check(8))
  })

  test('for backup points of earlier releases, the base backup determines the earliest time that can be restored', async ({
    assert,
  }) => {
    await assert.rejects(
      () => restore(5),
      `The backups do not contain ${time(5)}. Choose ${time(6)} or later. Nothing was changed`
    )
    assert.equal(await restore(6), 'one')
  })

  test('a time before all backups is rejected, and the error names the time of the first backup', async ({
    assert,
  }) => {
    await assert.rejects(
      () => restore(1),
      `The backups do not contain ${time(1)}. Choose ${time(10)} or later. Nothing was changed`
    )
  })
})
