import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'
import type { ResultRow } from '../../bench/measurement.js'
import { benchmarksPagePath, renderBenchmarksPage } from '../bench.js'
import {
  type BenchResult,
  findGoalReasonMismatches,
  benchmarksMarkdown,
  readBenchResults,
} from '../bench_table.js'

const row: ResultRow = {
  case: 'drain to a sink',
  unit: 'messages/s',
  ours: 11,
  against: 10,
  ratio: 1.1,
  met: false,
  reference: 'Postfix',
  goal: '>= 1.5x',
}
const result = (name: string, ...rows: ResultRow[]): BenchResult => ({
  name,
  measuredAt: '2026-11-25T00:00:00Z',
  rows,
})

test.group('Benchmarks', () => {
  test('every missed goal has a reason, and every reason belongs to a missed goal', async ({
    assert,
  }) => {
    assert.deepEqual(findGoalReasonMismatches(await readBenchResults()), [])
  })

  test('a missed goal without a reason is reported, and so is a reason for a goal that is met', ({
    assert,
  }) => {
    const unexplained = findGoalReasonMismatches([result('mail', row, { ...row, case: 'Another' })])
    assert.include(
      unexplained,
      'mail, Another: missed, and bench/missed_goal_reasons.ts does not say why'
    )
    const withoutMiss =
      'mail, drain to a sink: bench/missed_goal_reasons.ts has a reason, but the goal is met'
    assert.notInclude(unexplained, withoutMiss)
    const met = findGoalReasonMismatches([result('mail', { ...row, met: true })])
    assert.include(met, withoutMiss)
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
