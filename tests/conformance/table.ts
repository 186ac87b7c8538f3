import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { admin } from './elsewhere/admin.js'
import { customer } from './elsewhere/customer.js'
import { unproven } from './requirements_without_tests.js'
import { allRows, type RowId, type Promises, specifications, requirementText } from './rows.js'

const root = join(import.meta.dirname, '../..')

/** A test that proves a row. `title` is set only if the test is in another folder. */
interface Proof {
  file: string
  title?: string
}

/** Tests in other folders, each with the rows that it proves. */
export type OutsideProof = [file: string, title: string, rows: RowId[]][]

export type TestsByRow = Map<string, Proof[]>

/**
 * Finds each row's tests: those in this folder by searching their source code for `proves`, those in other folders from
 * the lists in `elsewhere/`.
 */
export function readProofs(): TestsByRow {
  const found: TestsByRow = new Map()
  const add = (id: string, proof: Proof) => found.set(id, [...(found.get(id) ?? []), proof])
  for (const name of readdirSync(import.meta.dirname).sort()) {
    if (!name.endsWith('.spec.ts')) continue
    const source = readFileSync(join(import.meta.dirname, name), 'utf8')
    for (const [, ids] of source.matchAll(/\bproves\(([\s\S]*?)\basync\b/g)) {
      for (const [, id] of ids.matchAll(/'([AC]\d+\.\d+)'/g)) {
        add(id, { file: `tests/conformance/${name}` })
      }
    }
  }
  for (const [file, title, rows] of [...admin, ...customer]) {
    for (const id of rows) add(id, { file, title })
  }
  return found
}

/**
 * Returns messages about rows that have neither a test nor an entry in `requirements_without_tests.ts`, and about rows
 * that have both. Also about duplicate or unknown row numbers, and listed tests that do not exist.
 */
export function complaints(proofs: TestsByRow = readProofs()): string[] {
  const ids = allRows.map(([id]) => id)
  const doubled = ids.filter((id, index) => ids.indexOf(id) !== index)
  const open = new Set<string>(unproven)
  const bare = ids.filter((id) => !proofs.has(id) && !open.has(id))
  const closed = unproven.filter((id) => proofs.has(id))
  const unknown = [...proofs.keys()].filter((id) => !ids.includes(id))
  const missing = [...proofs].flatMap(([id, all]) =>
    all
      .filter(({ file, title }) => title && !hasTest(file, title))
      .map(({ file, title }) => `${id}: ${file} has no test “${title}”`)
  )
  return [
    ...doubled.map((id) => `${id} stands twice`),
    ...bare.map((id) => `${id} is proven by no test`),
    ...closed.map((id) => `${id} is proven: take it out of requirements_without_tests.ts`),
    ...unknown.map((id) => `${id} is proven and not promised`),
    ...missing,
  ]
}

function hasTest(file: string, title: string): boolean {
  const source = read(file)
  return ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))
}

const sources = new Map<string, string>()
function read(file: string): string {
  const known = sources.get(file) ?? readFileSync(join(root, file), 'utf8')
  sources.set(file, known)
  return known
}

export function document(proofs: TestsByRow = readProofs()): string {
  const parts = Object.entries<Promises>(specifications).flatMap(([area, sections]) => [
    `## ${area}`,
    ...Object.entries(sections).flatMap(([section, rows]) => [
      `### ${section}`,
      [
        '| Row | Promise | Proven by |',
        '|---|---|---|',
        ...Object.entries(rows).map(
          ([id, row]) =>
            `| ${id} | ${cell(requirementText(row))} | ${(proofs.get(id) ?? []).map(cited).join('<br>') || 'Not yet'} |`
        ),
      ].join('\n'),
    ]),
  ])
  return [TABLE_HEADER, ...parts].join('\n\n') + '\n'
}

const TABLE_HEADER = `# What the product promises, and the test of each promise

Made from \`tests/conformance\` by \`./berth check\`, which refuses a row without a test. Each test drives the running product, through a
browser or over HTTP. Where a decision stands in place of a promise, the row says so. What says “Not yet” stands in
\`tests/conformance/requirements_without_tests.ts\`: the product may well do it, but no test of this kind shows it.`

const cell = (words: string) => words.replaceAll('|', '\\|')
const cited = ({ file, title }: Proof) => `\`${file}\`${title ? `, “${cell(title)}”` : ''}`
