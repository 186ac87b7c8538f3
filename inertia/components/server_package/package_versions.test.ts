import { expect, test } from 'vitest'
import { versionUsersLabel } from './package_versions'

const version = (number: number, instances: number) => ({
  number,
  instances,
  at: '2026-11-22T10:00:00Z',
  by: null,
  changes: null,
})

test('the edit form names the number of instances that keep each version', () => {
  expect(versionUsersLabel({ versions: [version(1, 0)] })).toBeNull()
  expect(versionUsersLabel({ versions: [version(1, 2)] })).toBe('2 instances keep version 1.')
  const three = [version(3, 0), version(2, 1), version(1, 4)]
  expect(versionUsersLabel({ versions: three })).toBe(
    '1 instance keeps version 2 and 4 instances keep version 1.'
  )
})
