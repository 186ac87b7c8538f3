import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ResultRow } from '../bench/measurement.js'
import { missedGoalReasons } from '../bench/missed_goal_reasons.js'
import { installRoot } from './paths.js'

export interface BenchResult {
  name: string
  measuredAt: string
  rows: ResultRow[]
}

export async function readBenchResults(): Promise<BenchResult[]> {
  const folder = join(installRoot, 'bench/results')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort()
  return Promise.all(
    files.map(async (file) => JSON.parse(await readFile(join(folder, file), 'utf8')) as BenchResult)
  )
}

export function benchmarksMarkdown(results: BenchResult[]): string {
  const rows = results.flatMap(({ name, measuredAt, rows: its }) =>
    its.map((row) => [
      name,
      measuredAt.slice(0, 10),
      ...benchTableCells(row),
      reasonOf(name, row) ?? '',
    ])
  )
  const head = ['Bench', 'Day', ...BENCH_TABLE_HEADINGS, 'Why missed']
  const line = (row: string[]) =>
    `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [
    '# Benchmarks',
    '',
    '`./berth bench` writes this page from `bench/results/`. Each case and its reference ran on the same machine.',
    'Goals apply to ratios where a row has one. The absolute numbers are those of a machine with two cores. `bench/missed_goal_reasons.ts` contains the reasons of missed goals.',
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
    '',
  ].join('\n')
}

export function findGoalReasonMismatches(results: BenchResult[]): string[] {
  const missed = results.flatMap(({ name, rows }) =>
    rows.filter(({ met }) => !met).map((row) => ({ name, row }))
  )
  const unexplained = missed
    .filter(({ name, row }) => reasonOf(name, row) === undefined)
    .map(
      ({ name, row }) =>
        `${name}, ${row.case}: missed, and bench/missed_goal_reasons.ts does not say why`
    )
  const idle = Object.entries(missedGoalReasons).flatMap(([name, reasons]) =>
    Object.keys(reasons)
      .filter((start) => !missed.some((one) => one.name === name && keyOf(name, one.row) === start))
      .map(
        (start) =>
          `${name}, ${start}: bench/missed_goal_reasons.ts has a reason, but the goal is met`
      )
  )
  return [...unexplained, ...idle]
}

export const BENCH_TABLE_HEADINGS = [
  'case',
  'unit',
  'ours',
  'against',
  'reference',
  'ratio',
  'goal',
  'met',
]

export function benchTableCells(row: ResultRow): string[] {
  return [
    row.case,
    row.unit,
    short(row.ours),
    row.against === null ? '' : short(row.against),
    row.reference,
    row.ratio === null ? '' : `${row.ratio.toFixed(2)}x`,
    row.goal,
    row.goal ? (row.met ? 'yes' : 'no') : '',
  ]
}

const reasonOf = (name: string, row: ResultRow) =>
  row.met ? undefined : missedGoalReasons[name]?.[keyOf(name, row) ?? '']

/** Returns the longest key in `missedGoalReasons` that is a prefix of the row's case. Undefined if there is none. */
function keyOf(name: string, row: ResultRow): string | undefined {
  return Object.keys(missedGoalReasons[name] ?? {})
    .filter((start) => row.case.startsWith(start))
    .sort((one, other) => other.length - one.length)[0]
}

function short(number: number): string {
  return Number(number.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 4 })
}
