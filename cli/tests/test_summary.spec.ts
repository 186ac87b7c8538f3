import { test } from '@japa/runner'
import {
  failSkippedHostTests,
  parseJapaReport,
  parseVitestReport,
  formatSlowestFiles,
  summarizeError,
  summarizeTests,
} from '../test_summary.js'

test.group('Test summary', () => {
  test('failed tests are listed, and the last line has the totals', ({ assert }) => {
    const { lines, failed } = summarizeTests([
      { file: 'a.spec.ts', title: 'works', outcome: 'passed' },
      { file: 'a.spec.ts', title: 'breaks\n  badly', outcome: 'failed', error: ['no', 'at a:1'] },
      { file: 'b.test.tsx', title: 'later', outcome: 'skipped', reason: 'needs Incus' },
    ])
    assert.isTrue(failed)
    assert.deepEqual(lines, [
      'Skipped: b.test.tsx > later (needs Incus)',
      'Failed: a.spec.ts > breaks badly',
      '  no',
      '  at a:1',
      '1 passed, 1 failed, 1 skipped',
    ])
    assert.deepEqual(summarizeTests([{ file: 'a', title: 'b', outcome: 'passed' }]).lines, [
      '1 passed, 0 failed',
    ])
  })

  test('an error is shortened to its first lines and its line in the test file', ({ assert }) => {
    const frames = [
      '    at Assert.equal (/root/node_modules/@japa/assert/index.js:1:2)',
      '    at eventually (/root/tests/support/eventually.ts:18:14)',
      '    at async Object.executor (file:///root/tests/system/a.spec.ts:21:5)',
      '    at async run (file:///root/tests/system/b.spec.ts:3:5)',
    ].join('\n')
    assert.deepEqual(
      summarizeError(`\u001b[31mexpected 1\u001b[39m\n\nto equal 2\n${frames}`, '/root'),
      ['expected 1', 'to equal 2', 'at tests/system/a.spec.ts:21']
    )
    const long = summarizeError('x'.repeat(1_000) + '\ny'.repeat(50), '/root')
    assert.lengthOf(long, 8)
    assert.lengthOf(long[0], 300)
  })

  test('the ten slowest files are listed, each with the sum of its groups’ times', ({ assert }) => {
    const written = Array.from({ length: 12 }, (_, at) => ({ file: `${at}.spec.ts`, ms: at }))
    const lines = [
      ...written,
      { file: '0.spec.ts', ms: 65_000 },
      { file: '0.spec.ts', title: 'works', outcome: 'passed' },
    ]
    const { results, times } = parseJapaReport(lines.map((line) => JSON.stringify(line)).join('\n'))
    assert.lengthOf(results, 1)
    const slow = formatSlowestFiles(times)
    assert.lengthOf(slow, 10)
    assert.equal(slow[0], 'Slow: 0.spec.ts (1 min 5 s)')
    assert.equal(slow[1], 'Slow: 11.spec.ts (0.0 s)')
  })

  test('tests that were skipped for lack of Incus or Caddy count as failed if both should have started', ({
    assert,
  }) => {
    const skipped = (reason: string) =>
      ({ file: 'a.spec.ts', title: 'works', outcome: 'skipped', reason }) as const
    const reasons = [
      'needs an Incus: set INCUS_SOCKET',
      'needs a Caddy: set EDGE_ADMIN',
      'needs root and an Incus: set INCUS_SOCKET',
      'needs a MongoDB: set MONGODB_URL',
    ]
    assert.deepEqual(
      failSkippedHostTests(reasons.map(skipped)).map(({ outcome }) => outcome),
      ['failed', 'failed', 'failed', 'skipped']
    )
  })

  test('a Vitest file that cannot be loaded counts as one failed test', ({ assert }) => {
    const report = JSON.stringify({
      testResults: [
        {
          name: '/root/ui/a.test.tsx',
          status: 'passed',
          assertionResults: [
            { fullName: 'shows', status: 'passed' },
            { fullName: 'hides', status: 'failed', failureMessages: ['Error: seen'] },
          ],
        },
        { name: '/root/ui/b.test.tsx', status: 'failed', message: 'no X', assertionResults: [] },
      ],
    })
    assert.deepEqual(parseVitestReport(report, '/root'), [
      { file: 'ui/a.test.tsx', title: 'shows', outcome: 'passed' },
      { file: 'ui/a.test.tsx', title: 'hides', outcome: 'failed', error: ['Error: seen'] },
      { file: 'ui/b.test.tsx', title: 'the file itself', outcome: 'failed', error: ['no X'] },
    ])
  })
})
