import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'
import type { Row } from '../../bench/frame.js'
import { benchmarksPagePath, renderBenchmarksPage } from '../bench.js'
import {
  type BenchResult,
  findGoalReasonMismatches,
  benchmarksMarkdown,
  readBenchResults,
} from '../bench_table.js'

const row: Row = {
  case: 'drain to a sink',
  unit: 'messages/s',
  ours: 11,
  against: 10,
  ratio: 1.1,
  met: false,
  reference: 'Postfix',
  goal: '>= 1.5x',
}
const result = (name: string, ...rows: Row[]): BenchResult => ({
  name,
  measuredAt: '2026-11-25T00:00:00Z',
  rows,
})

test.group('Benchmarks', () => {
  test('every missed goal has a reason, and every reason a missed goal', async ({ assert }) => {
    assert.deepEqual(findGoalReasonMismatches(await readBenchResults()), [])
  })

  test('a missed goal without a reason and a reason for a met goal are reported', ({ assert }) => {
    const unexplained = findGoalReasonMismatches([result('mail', row, { ...row, case: 'Another' })])
    assert.include(unexplained, 'mail, Another: missed, and bench/misses.ts does not say why')
    assert.notInclude(
      unexplained,
      'mail, drain to a sink: bench/misses.ts has a reason, but the goal is met'
    )
    const met = findGoalReasonMismatches([result('mail', { ...row, met: true })])
    assert.include(met, 'mail, drain to a sink: bench/misses.ts has a reason, but the goal is met')
  })

  test('the table shows ratio, goal and reason', ({ assert }) => {
    const [line] = benchmarksMarkdown([result('mail', row)])
      .split('\n')
      .filter((one) => one.startsWith('| mail'))
    assert.include(line, '| 1.10x | >= 1.5x | no | A connection waits until')
  })

  test('docs/benchmarks.md matches the results', async ({ assert }) => {
    assert.equal(await readFile(benchmarksPagePath, 'utf8'), await renderBenchmarksPage())
  })
})
