import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A row of docs/security.md: a security property and the tests that prove it. */
export interface SecurityRow {
  line: number
  cells: string[]
  /** Text of the last cell, which names the tests. */
  tests: string
  /** Folder of this section. Paths in the cell may be relative to it. */
  below: string
}

/** The project's files, by path from its root. */
export interface Tree {
  exists(path: string): boolean
  titles(path: string): string[]
}

/** Returns the rows of all tables whose last column is titled Test. */
export function securityRows(text: string): SecurityRow[] {
  const rows: SecurityRow[] = []
  let below = ''
  let isTests = false
  for (const [at, line] of text.split('\n').entries()) {
    if (line.startsWith('#')) below = ''
    below = /^Paths without more are below `(.+?)`/.exec(line)?.[1] ?? below
    if (!line.startsWith('|')) isTests = false
    else if (/\| Test \|$/.test(line)) isTests = true
    else if (isTests && !/^\|[-|]+$/.test(line)) {
      const cells = line.split('|').slice(1, -1)
      rows.push({ line: at + 1, cells, tests: cells.at(-1)!.trim(), below })
    }
  }
  return rows
}

/**
 * Returns the files and titles that a row names but that do not exist, and `a test` if it names no file. Semicolons
 * separate the entries of a cell. An entry lists files and, after a colon, parts of test titles, separated by commas
 * or `…`.
 */
export function findMissingTests(
  { tests, below }: Pick<SecurityRow, 'tests' | 'below'>,
  tree: Tree
) {
  const missing: string[] = []
  let named = 0
  for (const part of tests.replace(/ \([^`]*?\)/g, '').split(/;\s*/)) {
    const titles = /`[^`]+`: (.+)$/.exec(part)?.[1]
    const before = titles ? part.slice(0, -titles.length) : part
    const files = [...before.matchAll(/`([^`]+)`/g)].flatMap(([, path]) => spread(path))
    const found: string[] = []
    for (const path of files.filter((one) => /[./]/.test(one))) {
      const place = [join(below, path), path].find((one) => tree.exists(one))
      if (place) found.push(place)
      else missing.push(path)
    }
    named += found.length
    const known = titles ? found.flatMap((path) => tree.titles(path)) : []
    for (const words of titles ? wordsOf(titles) : []) {
      if (!known.some((title) => title.includes(words))) missing.push(`“${words}” in ${files}`)
    }
  }
  return named || missing.length ? missing : ['a test']
}

function wordsOf(titles: string): string[] {
  return titles
    .split(/,|…/)
    .map((words) =>
      words
        .replaceAll('`', '')
        .replace(/^\s*and /, '')
        .trim()
    )
    .filter((words) => words.length > 0)
}

/** Expands `app/{one,two}.ts` to two paths. */
function spread(path: string): string[] {
  const [all, one] = /\{(.+?)\}/.exec(path) ?? []
  return all ? one.split(',').map((each) => path.replace(all, each)) : [path]
}

const TEST_TITLE_PATTERN =
  /\b(?:test|it|describe)(?:\.\w+)*\(\s*(?:`((?:[^`\\]|\\.)*)`|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g

export function readTree(root: string): Tree {
  return {
    exists: (path) => existsSync(join(root, path)),
    titles: (path) =>
      [...readFileSync(join(root, path), 'utf8').matchAll(TEST_TITLE_PATTERN)].map(
        ([, ...quoted]) =>
          quoted
            .find((one) => one !== undefined)!
            .replaceAll(/\\(.)/g, '$1')
            .replaceAll('`', '')
      ),
  }
}
