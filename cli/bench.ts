import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { format } from 'oxfmt'
import type { Bench } from '../bench/measurement.js'
import {
  type BenchResult,
  benchTableCells,
  benchmarksMarkdown,
  BENCH_TABLE_HEADINGS,
  readBenchResults,
} from './bench_table.js'
import { CliError } from './berth_home.js'
import { installRoot } from './paths.js'
import { runProgram } from './run_program.js'
import { print, formatTable } from './print.js'

const folder = join(installRoot, 'bench')
const results = join(folder, 'results')
export const benchmarksPagePath = join(installRoot, 'docs/benchmarks.md')

/**
 * Also writes `bench/results/NAME.json` and `docs/benchmarks.md`. Missed goals do not fail the command.
 * @throws CliError for an unknown name
 */
export async function runBenchmarks(name: string | undefined): Promise<number> {
  const names = await benches()
  if (name === 'all') return benchAll(names)
  if (!name || !names.includes(name)) {
    throw new CliError(`./berth bench NAME, where NAME is one of: ${names.join(', ')}, all`)
  }
  const { default: benchmark } = (await import(pathToFileURL(join(folder, `${name}.ts`)).href)) as {
    default: Bench
  }
  const rows = await benchmark.run({ say: print })
  print(formatTable(BENCH_TABLE_HEADINGS, rows.map(benchTableCells)))
  await mkdir(results, { recursive: true })
  const result: BenchResult = { name, measuredAt: new Date().toISOString(), rows }
  await writeFile(join(results, `${name}.json`), JSON.stringify(result, null, 2) + '\n')
  await writeFile(benchmarksPagePath, await renderBenchmarksPage())
  return 0
}

/**
 * Uses a separate process for each benchmark, so that they do not affect each other. Returns exit code 1 if one failed.
 */
async function benchAll(names: string[]): Promise<number> {
  const failed: string[] = []
  for (const name of names) {
    print(`\n${name}`)
    const { code } = await runProgram([join(installRoot, 'berth'), 'bench', name], { show: true })
    if (code !== 0) failed.push(name)
  }
  const rows = (await readBenchResults()).flatMap(({ name, rows: its }) =>
    its.map((row) => [name, ...benchTableCells(row)])
  )
  print(`\n${formatTable(['bench', ...BENCH_TABLE_HEADINGS], rows)}`)
  for (const name of failed) print(`${name} could not be measured`)
  return failed.length ? 1 : 0
}

export async function renderBenchmarksPage(): Promise<string> {
  const { code } = await format(benchmarksPagePath, benchmarksMarkdown(await readBenchResults()))
  return code
}

/** Skips files without a default export. */
async function benches(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.ts')).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return files
    .filter((_, index) => texts[index].includes('export default'))
    .map((file) => file.slice(0, -'.ts'.length))
}
