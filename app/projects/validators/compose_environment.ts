interface ComposeEnvironment {
  /** The text with empty lines in place of all lines outside `environment:`, so line numbers stay. */
  text: string
  /** Line numbers of the `environment:` keys. */
  headingLines: number[]
  /** Services with an `environment:` key. Empty if the text begins with that key. */
  services: string[]
  /** Keys outside `environment:`, without the keys below them. */
  ignoredKeys: string[]
}

const HEADING_PATTERN = /^\s*environment:\s*(?:&\S+\s*)?(?:#.*)?$/
const FLOW_HEADING_PATTERN = /^\s*environment:\s*[{[]/
const KEY_PATTERN = /^\s*(["']?)([\w.-]+)\1:(?=\s|$)/
const EMPTY_LINE_PATTERN = /^\s*(?:#.*)?$/

/**
 * Finds the `environment:` keys of a Docker Compose file. Other keys, for example `image`, are not variables.
 * Keeps lines without indentation that are not YAML keys, for example `NAME=value`.
 * @returns null if the text has no such key with items in lines of their own
 */
export function findComposeEnvironment(text: string): ComposeEnvironment | null {
  const lines = text.split('\n')
  const headings = lines.flatMap((line, at) => (HEADING_PATTERN.test(line) ? [at] : []))
  const blocks = headings
    .map((at) => [at, endOfBlock(lines, at)])
    .filter(([at, end]) => end > at + 1)
  if (blocks.length === 0) return null
  const ancestors = ancestorsOf(lines, headings)
  const selected = new Set<number>()
  const structure = new Set<number>()
  const services: string[] = []
  for (const [at, end] of blocks) {
    for (let inside = at + 1; inside < end; inside++) selected.add(inside)
    const around = ancestors.get(at)!
    for (const line of [at, ...around]) structure.add(line)
    if (around.length > 0) services.push(keyOf(lines[around[0]])!)
  }
  const ignored = new Set<number>()
  const ignoredKeys: string[] = []
  for (const [at, line] of lines.entries()) {
    if (selected.has(at) || structure.has(at) || ignored.has(at)) continue
    const key = keyOf(line)
    if (key === null) continue
    ignoredKeys.push(key)
    for (let inside = at; inside < endOfBlock(lines, at); inside++) ignored.add(inside)
  }
  const isDropped = (line: string, at: number) =>
    structure.has(at) || ignored.has(at) || line.startsWith('---')
  return {
    text: lines.map((line, at) => (isDropped(line, at) ? '' : line)).join('\n'),
    headingLines: blocks.map(([at]) => at + 1),
    services: [...new Set(services)],
    ignoredKeys: [...new Set(ignoredKeys)],
  }
}

/** Returns the line of an `environment:` key with its items in the same line, which are not read. */
export function findComposeFlowEnvironment(text: string): number | null {
  const at = text.split('\n').findIndex((line) => FLOW_HEADING_PATTERN.test(line))
  return at === -1 ? null : at + 1
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

function keyOf(line: string): string | null {
  return KEY_PATTERN.exec(line)?.[2] ?? null
}

/** Returns the line after the last line below a key. The items of a YAML list may have the key's indentation. */
function endOfBlock(lines: string[], at: number): number {
  const indent = indentOf(lines[at])
  let end = at + 1
  for (let next = end; next < lines.length; next++) {
    const line = lines[next]
    if (EMPTY_LINE_PATTERN.test(line)) continue
    const isListItem = indentOf(line) === indent && /^\s*-\s/.test(line)
    if (indentOf(line) <= indent && !isListItem) break
    end = next + 1
  }
  return end
}

/** Returns the lines of the keys around each of some lines, innermost first. */
function ancestorsOf(lines: string[], some: number[]): Map<number, number[]> {
  const wanted = new Set(some)
  const ancestors = new Map<number, number[]>()
  const open: number[] = []
  for (const [at, line] of lines.entries()) {
    if (keyOf(line) === null) continue
    while (open.length > 0 && indentOf(lines[open.at(-1)!]) >= indentOf(line)) open.pop()
    if (wanted.has(at)) ancestors.set(at, open.toReversed())
    open.push(at)
  }
  return ancestors
}
