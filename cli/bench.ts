import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Bench, Row } from '../bench/frame.js'
import { CliRefusal } from './home.js'
import { root } from './paths.js'
import { say, table } from './say.js'

/** Runs `bench/NAME.ts`, prints its table and writes `bench/results/NAME.json`. Missed goals do not fail the command. */
export async function bench(name: string | undefined): Promise<number> {
  const folder = join(root, 'bench')
  const file = join(folder, `${name}.ts`)
  if (!name || !/^[a-z][a-z0-9_-]*$/.test(name) || name === 'frame' || !existsSync(file)) {
    throw new CliRefusal(
      `./berth bench NAME, where NAME is one of: ${(await benches(folder)).join(', ') || '(none yet)'}`
    )
  }
  const { default: found } = (await import(pathToFileURL(file).href)) as { default: Bench }
  const rows = await found.run({ say })
  say(
    table(['case', 'unit', 'ours', 'against', 'reference', 'ratio', 'goal', 'met'], rows.map(cells))
  )
  const results = join(folder, 'results')
  await mkdir(results, { recursive: true })
  const result = { name, measuredAt: new Date().toISOString(), rows }
  await writeFile(join(results, `${name}.json`), JSON.stringify(result, null, 2) + '\n')
  return 0
}

async function benches(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files
    .filter((file) => /^[a-z][a-z0-9_-]*\.ts$/.test(file) && file !== 'frame.ts')
    .map((file) => file.slice(0, -3))
    .sort()
}

function cells(row: Row): string[] {
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

function short(number: number): string {
  return Number(number.toPrecision(4)).toLocaleString('en-US', { maximumFractionDigits: 4 })
}
