import { test } from '@japa/runner'
import { readFile } from 'node:fs/promises'
import type { Row } from '../../bench/frame.js'
import { page, written } from '../bench.js'
import { type BenchResult, complaints, document, readResults } from '../bench_table.js'

const row: Row = {
  ...{ case: 'web process', unit: '% of a core', ours: 35, against: 16, ratio: 2.19, met: false },
  ...{ reference: 'a bare server', goal: '<= 30' },
}
const result = (name: string, ...rows: Row[]): BenchResult => ({
  ...{ name, measuredAt: '2026-11-25T00:00:00Z', rows },
})

test.group('Benchmarks', () => {
  test('every miss has its reason, and every reason its miss', async ({ assert }) => {
    assert.deepEqual(complaints(await readResults()), [])
  })

  test('a miss that nobody explains is told, and so is a reason of what is met', ({ assert }) => {
    const unexplained = complaints([result('chat', row, { ...row, case: 'Another' })])
    assert.include(unexplained, 'chat, Another: missed, and bench/misses.ts does not say why')
    assert.notInclude(unexplained, 'chat, web process: a reason without a miss')
    const met = complaints([result('chat', { ...row, met: true })])
    assert.include(met, 'chat, web process: a reason without a miss')
  })

  test('the table says ratio, goal and reason', ({ assert }) => {
    const [line] = document([result('chat', row)])
      .split('\n')
      .filter((one) => one.startsWith('| chat'))
    assert.include(line, '| 2.19x | <= 30 | no | A third is writes')
  })

  test('docs/benchmarks.md is what the results say', async ({ assert }) => {
    assert.equal(await readFile(page, 'utf8'), await written())
  })
})
