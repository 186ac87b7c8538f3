import { test } from '@japa/runner'
import { readVitest, tally } from '../tally.js'

test.group('tally', () => {
  test('names each failed test and adds up in exactly one line, the last', ({ assert }) => {
    const { lines, failed } = tally([
      { file: 'a.spec.ts', title: 'works', outcome: 'passed' },
      { file: 'a.spec.ts', title: 'breaks\n  badly', outcome: 'failed' },
      { file: 'b.test.tsx', title: 'later', outcome: 'skipped', reason: 'needs Incus' },
    ])
    assert.isTrue(failed)
    assert.deepEqual(lines, [
      'Skipped: b.test.tsx > later (needs Incus)',
      'Failed: a.spec.ts > breaks badly',
      '1 passed, 1 failed, 1 skipped',
    ])
    assert.deepEqual(tally([{ file: 'a', title: 'b', outcome: 'passed' }]).lines, [
      '1 passed, 0 failed',
    ])
  })

  test('a Vitest file that does not load is one failed test', ({ assert }) => {
    const report = JSON.stringify({
      testResults: [
        {
          name: '/root/ui/a.test.tsx',
          status: 'passed',
          assertionResults: [{ fullName: 'shows', status: 'passed' }],
        },
        { name: '/root/ui/b.test.tsx', status: 'failed', assertionResults: [] },
      ],
    })
    assert.deepEqual(readVitest(report, '/root'), [
      { file: 'ui/a.test.tsx', title: 'shows', outcome: 'passed' },
      { file: 'ui/b.test.tsx', title: 'the file itself', outcome: 'failed' },
    ])
  })
})
