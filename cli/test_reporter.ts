import { appendFileSync } from 'node:fs'
import { relative } from 'node:path'
import { inspect } from 'node:util'
import type { NamedReporterContract, TestEndNode } from '@japa/runner/types'
import { GROUPED_OUTPUT_VARIABLE, GROUP_SEPARATOR } from './parallel_test_output.js'
import { installRoot } from './paths.js'
import { formatDuration } from './print.js'
import { summarizeError, type TestFileTime, type TestResult } from './test_summary.js'

/**
 * Japa reporter that appends a JSON object to the file in BERTH_TEST_REPORT for each test, each failed setup or
 * teardown, and each duration. Writes each result immediately, so that none is lost in a crash. Does nothing if the
 * variable is not set.
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
      for (const { phase, error } of hasError ? errors : []) {
        write(failure(title, `${phase} of the group`, error))
      }
    })
    emitter.on('suite:end', ({ name, hasError, errors }) => {
      for (const { phase, error } of hasError ? errors : []) {
        write(failure(`suite ${name}`, `${phase} of the suite`, error))
      }
    })
    emitter.on('test:end', (test) => {
      write(resultOf(test, group))
      if (!group) write({ file: fileOf(test.meta), ms: Math.round(test.duration) })
    })
  },
}

/** Minimum duration of a group's setup and teardown together that is printed. */
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

function failure(file: string, title: string, error: unknown): TestResult {
  const text =
    error instanceof Error
      ? `${error.message || error.name}\n${error.stack?.match(/^\s+at .*/gm)?.join('\n')}`
      : inspect(error)
  return { file, title, outcome: 'failed', error: summarizeError(text, installRoot) }
}

function resultOf(test: TestEndNode, group: string): TestResult {
  const file = fileOf(test.meta)
  const title = [group, test.title.expanded].filter(Boolean).join(' > ')
  if (test.hasError) return failure(file, title, test.errors[0]?.error)
  if (test.isSkipped) return { file, title, outcome: 'skipped', reason: test.skipReason }
  if (test.isTodo) return { file, title, outcome: 'skipped', reason: 'has no body yet' }
  return { file, title, outcome: 'passed', tries: test.retryAttempt ?? 1 }
}
