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
  // The database moved after minute 20. Its next backup started with a new copy.
  const there = [
    copy('old', 5),
    point('one', 10, 'old'),
    point('two', 20, 'old'),
    copy('new', 30),
    point('three', 31, 'new'),
    point('four', 45, 'new'),
  ]
  const restore = (minute: number) => {
    const at = new Date(time(minute))
    const chosen = chooseBackupPoint(filterBackupPoints(there), at)
    assertTimeInBackups(there, chosen, at)
    return chosen.id
  }

  test('a time before a move of the database comes from the backups before it', ({ assert }) => {
    assert.equal(restore(15), 'two')
    assert.equal(restore(40), 'four')
  })

  test('a time between them is rejected with the nearest ones', ({ assert }) => {
    assert.throws(
      () => restore(25),
      `The backups do not contain ${time(25)}. A move of the database and a pause of the backups leave such a gap. Choose ${time(20)} or earlier, or ${time(31)} or later. Nothing was changed`
    )
  })

  test('a time while the first copy was being read is rejected with its end', ({ assert }) => {
    const first = point('one', 10, 'old')
    first.tags.ready = time(8)
    const check = (minute: number) =>
      assertTimeInBackups([copy('old', 5), first], first, new Date(time(minute)))
    assert.throws(
      () => check(6),
      `The backups do not contain ${time(6)}. Choose ${time(8)} or later. Nothing was changed`
    )
    assert.doesNotThrow(() => check(8))
  })

  test('a time before all backups is rejected with the first one', ({ assert }) => {
    assert.throws(
      () => restore(1),
      `The backups do not contain ${time(1)}. Choose ${time(10)} or later. Nothing was changed`
    )
  })
})
