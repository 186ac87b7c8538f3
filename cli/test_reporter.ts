import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { NamedReporterContract, TestEndNode } from '@japa/runner/types'
import { GROUPED_OUTPUT_VARIABLE, GROUP_SEPARATOR } from './parallel_test_output.js'
import { installRoot } from './paths.js'
import { formatDuration } from './print.js'
import type { TestFileTime, TestResult } from './test_summary.js'

/**
 * Japa reporter that appends one JSON object per test to the file in BERTH_TEST_REPORT. Writes immediately,
 * so that a crash loses no earlier results. Without the variable it does nothing.
 */
export const fileReporter: NamedReporterContract = {
  name: 'berth',
  handler(_runner, emitter) {
    const report = process.env.BERTH_TEST_REPORT
    if (!report) return
    let group = ''
    let began = 0
    const write = (line: TestResult | TestFileTime) =>
      appendFileSync(report, JSON.stringify(line) + '\n')
    emitter.on('group:start', ({ title }) => {
      group = title
      began = performance.now()
    })
    emitter.on('group:end', ({ title, meta, hasError, errors }) => {
      group = ''
      write({ file: fileOf(meta), ms: Math.round(performance.now() - began) })
      for (const { phase } of hasError ? errors : []) {
        write({ file: title, title: `${phase} of the group`, outcome: 'failed' })
      }
    })
    emitter.on('suite:end', ({ name, hasError, errors }) => {
      for (const { phase } of hasError ? errors : []) {
        write({ file: `suite ${name}`, title: `${phase} of the suite`, outcome: 'failed' })
      }
    })
    emitter.on('test:end', (test) => {
      write(resultOf(test, group))
      if (!group) write({ file: fileOf(test.meta), ms: Math.round(test.duration) })
    })
  },
}

/** Minimum duration of a group's setup and teardown that is printed. */
const MIN_SHOWN_MS = 3_000

/**
 * Japa reporter that prints long setup times of groups, and marks the end of each group
 * (`parallel_test_output.ts`).
 */
export const groupReporter: NamedReporterContract = {
  name: 'groups',
  handler(_runner, emitter) {
    let began = 0
    let inTests = 0
    emitter.on('group:start', () => {
      began = performance.now()
      inTests = 0
    })
    emitter.on('test:end', (test) => {
      inTests += test.duration
    })
    emitter.on('group:end', () => {
      const overheadMs = performance.now() - began - inTests
      if (overheadMs > MIN_SHOWN_MS) {
        process.stdout.write(`  set up and taken down in ${formatDuration(overheadMs)}\n`)
      }
      if (process.env[GROUPED_OUTPUT_VARIABLE]) process.stdout.write(GROUP_SEPARATOR)
    })
  },
}

function fileOf({ fileName }: Record<string, unknown>): string {
  return typeof fileName === 'string' ? relative(installRoot, fileName) : 'unknown file'
}

function resultOf(test: TestEndNode, group: string): TestResult {
  const file = fileOf(test.meta)
  const title = [group, test.title.expanded].filter(Boolean).join(' > ')
  if (test.hasError) return { file, title, outcome: 'failed' }
  if (test.isSkipped) return { file, title, outcome: 'skipped', reason: test.skipReason }
  if (test.isTodo) return { file, title, outcome: 'skipped', reason: 'has no body yet' }
  return { file, title, outcome: 'passed', tries: test.retryAttempt ?? 1 }
}
