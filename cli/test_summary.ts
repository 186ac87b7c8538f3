import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { formatDuration } from './print.js'

export interface TestResult {
  /** Path relative to the repository's root. */
  file: string
  title: string
  outcome: 'passed' | 'failed' | 'skipped'
  reason?: string
  tries?: number
  /** Lines of text (`summarizeError`) that explain why the test failed. */
  error?: string[]
}

/** The duration of a Vitest file, of a Japa group with its setup and teardown, or of a Japa test outside groups. */
export interface TestFileTime {
  file: string
  ms: number
}

const MAX_SLOW_FILES = 10

export function formatSlowestFiles(times: TestFileTime[]): string[] {
  const sums = new Map<string, number>()
  for (const { file, ms } of times) sums.set(file, (sums.get(file) ?? 0) + ms)
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_SLOW_FILES)
    .map(([file, ms]) => `Slow: ${file} (${formatDuration(ms)})`)
}

const MAX_MESSAGE_LINES = 8
const MAX_LINE_LENGTH = 300

/**
 * Shortens an error to the first lines of its message, without colours, and the line of the test file at which it
 * occurred.
 * @param text the message, then the stack frames
 */
export function summarizeError(text: string, root: string): string[] {
  const lines = stripVTControlCharacters(text).split('\n')
  const isFrame = (line: string) => /^\s+at /.test(line)
  const message = lines.filter((line) => line.trim() && !isFrame(line))
  const location = lines
    .filter(isFrame)
    .map((line) => /(\/[^\s:/][^\s:]*\.(?:spec|test)\.tsx?:\d+)/.exec(line)?.[1])
    .find((path) => path?.startsWith(`${root}/`))
  const shown = message.slice(0, MAX_MESSAGE_LINES).map((line) => line.slice(0, MAX_LINE_LENGTH))
  return location ? [...shown, `at ${relative(root, location)}`] : shown
}

/**
 * Returns the last lines of `./berth test`: skipped tests with reasons, tests that passed only when repeated, failed
 * tests with their errors, and one line with the totals.
 */
export function summarizeTests(results: TestResult[]): { lines: string[]; failed: boolean } {
  const of = (outcome: TestResult['outcome']) => results.filter((test) => test.outcome === outcome)
  const [passed, failed, skipped] = [of('passed'), of('failed'), of('skipped')]
  const sums = `${passed.length} passed, ${failed.length} failed`
  return {
    failed: failed.length > 0,
    lines: [
      ...skipped.map(
        ({ file, title, reason }) =>
          `Skipped: ${file} > ${oneLine(title)} (${reason ? oneLine(reason) : 'no reason given'})`
      ),
      ...passed
        .filter(({ tries = 1 }) => tries > 1)
        .map(({ file, title, tries }) => `Passed at try ${tries}: ${file} > ${oneLine(title)}`),
      ...failed.flatMap(({ file, title, reason, error = [] }) => [
        `Failed: ${file} > ${oneLine(title)}${reason ? ` (${oneLine(reason)})` : ''}`,
        ...error.map((line) => `  ${line}`),
      ]),
      skipped.length ? `${sums}, ${skipped.length} skipped` : sums,
    ],
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

interface VitestReport {
  testResults: {
    name: string
    status: string
    startTime: number
    endTime: number
    message?: string
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[]
  }[]
}

export function parseVitestTimes(json: string, root: string): TestFileTime[] {
  const { testResults } = JSON.parse(json) as VitestReport
  return testResults.map(({ name, startTime, endTime }) => ({
    file: relative(root, name),
    ms: endTime - startTime,
  }))
}

/** A test file that could not be loaded counts as one failed test. */
export function parseVitestReport(json: string, root: string): TestResult[] {
  const report = JSON.parse(json) as VitestReport
  return report.testResults.flatMap(({ name, status, message, assertionResults }): TestResult[] => {
    const file = relative(root, name)
    const summarize = (text = '') => summarizeError(text, root)
    const tests = assertionResults.map((each): TestResult => {
      const { fullName, status: outcome, failureMessages } = each
      if (outcome === 'passed') return { file, title: fullName, outcome }
      if (outcome === 'failed')
        return { file, title: fullName, outcome, error: summarize(failureMessages?.[0]) }
      return { file, title: fullName, outcome: 'skipped', reason: `marked ${outcome} in the file` }
    })
    if (status === 'failed' && !tests.some((test) => test.outcome === 'failed')) {
      tests.push({ file, title: 'the file itself', outcome: 'failed', error: summarize(message) })
    }
    return tests
  })
}

/** Parses the report of `test_reporter.ts`, which has one JSON object per line. */
export function parseJapaReport(lines: string): { results: TestResult[]; times: TestFileTime[] } {
  const read = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as TestResult | TestFileTime)
  return {
    results: read.filter((line) => 'outcome' in line),
    times: read.filter((line) => 'ms' in line),
  }
}

/** Matches the reasons of tests that are skipped because Incus or Caddy did not start. */
const HOST_MISSING_PATTERN =
  /INCUS_SOCKET|EDGE_ADMIN|an Incus|root and Incus|a Caddy and Pebble|lxcfs/

/**
 * Turns tests that were skipped because Incus or Caddy did not start into failures. Used on machines that can be hosts.
 */
export function failSkippedHostTests(results: TestResult[]): TestResult[] {
  return results.map((result) =>
    result.outcome === 'skipped' && HOST_MISSING_PATTERN.test(result.reason ?? '')
      ? { ...result, outcome: 'failed' }
      : result
  )
}
