/** An assignment of a `.env` file, with the number of its first line. */
export interface DotenvEntry {
  line: number
  name: string
  value: string
}

interface DotenvFile {
  entries: DotenvEntry[]
  /** Lines that cannot be read. */
  problems: string[]
  /** Lines that other programs may read differently. */
  notes: string[]
}

const IGNORED_LINE_PATTERN = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y
const NAME_PATTERN = /[^\S\n]*(?:export[^\S\n]+)?([^\s=:#'"]+)(?:[^\S\n]*=|:(?=\s))/y
const QUOTED_VALUE_PATTERNS = [
  /[^\S\n]*"((?:\\[^]|[^"\\])*)"/y,
  // A backslash before the last quote of a line belongs to the value, for example a Windows folder.
  /[^\S\n]*'((?:\\'(?![^\S\n]*(?:[^\S\n]#[^\n]*)?(?:\n|$))|[^'])*)'/y,
  /[^\S\n]*`([^`]*)`/y,
]
const UNQUOTED_VALUE_PATTERN = /(?:(?![^\S\n]#)[^\n])*/y
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

/**
 * Parses a `.env` file as Docker Compose and Laravel do: `#` begins a comment only after a space.
 * Node's `util.parseEnv` and the package `dotenv` cut an unquoted value at every `#`, which breaks
 * passwords. Reports lines that it cannot read. References such as `${NAME}` are not replaced.
 */
export function parseDotenvFile(source: string): DotenvFile {
  const text = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const file: DotenvFile = { entries: [], problems: [], notes: [] }
  const firstLines = new Map<string, number>()
  let at = 0
  let line = 1
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const skipLine = () => match(/[^\n]*(?:\n|$)/y)
  const readAssignment = () => {
    if (match(IGNORED_LINE_PATTERN)) return
    const name = match(NAME_PATTERN)?.[1]
    if (name === undefined) {
      skipLine()
      file.problems.push(`Line ${line}: this is not of the form NAME=value.`)
      return
    }
    const quote = /[^\S\n]*(["'`])/y.exec(text.slice(at))?.[1]
    const quoted = quote && match(QUOTED_VALUE_PATTERNS['"\'`'.indexOf(quote)])
    if (quote && (!quoted || !match(IGNORED_LINE_PATTERN))) {
      skipLine()
      const problem = quoted
        ? `text follows the closing ${quote}. Write the whole value in quotes.`
        : `the value begins with ${quote}, and no other ${quote} ends it.`
      file.problems.push(`Line ${line}: ${problem}`)
      return
    }
    let value = quoted ? quoted[1] : match(UNQUOTED_VALUE_PATTERN)![0].trim()
    if (!quoted) skipLine()
    if (quote !== "'" && quote !== '`' && /(?<!\\)\$\{/.test(value))
      file.notes.push(`The value of ${name} contains \${…}, which is not replaced.`)
    if (quote === '"')
      value = value.replace(/\\([nrt"\\$`])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped)
    if (quote === "'") value = value.replaceAll("\\'", "'")
    const first = firstLines.get(name)
    if (first !== undefined)
      file.notes.push(`${name} is in lines ${first} and ${line}. The last value was saved.`)
    firstLines.set(name, line)
    file.entries.push({ line, name, value })
  }
  while (at < text.length) {
    const start = at
    readAssignment()
    line += text.slice(start, at).split('\n').length - 1
  }
  return file
}
