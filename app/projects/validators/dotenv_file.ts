import { readYamlEnvironment } from '#projects/validators/yaml_environment'

export interface DotenvEntry {
  line: number
  name: string
  value: string
}

interface DotenvFile {
  entries: DotenvEntry[]
  problems: string[]
  /** Notes about lines that other programs may read differently. */
  notes: string[]
}

/**
 * Matches ignored lines: empty lines, comments, and lines of batch files such as `REM`, `REM ====` and `@echo off`.
 * `REM = 5` sets a variable.
 */
const IGNORED_LINE_PATTERN =
  /[^\S\n]*(?:#[^\n]*|(?:rem|@echo)(?=\s|$)(?![^\S\n]*[=:](?![=:]))[^\n]*|::[^\n]*)?(?:\n|$)/iy
/** Matches what may follow a quoted value in its line: spaces and a comment. */
const REST_OF_LINE_PATTERN = /[^\S\n]*(?:#[^\n]*)?(?:\n|$)/y
/**
 * Matches lines without a variable: headings in the output of `heroku config`, and commands in `.envrc` files of
 * direnv.
 */
const COMMAND_LINE_PATTERN =
  /[^\S\n]*(?:===[^\S\n][^\n]*|(?:source_up|source_env|dotenv|use|layout|PATH_add|path_add|watch_file|strict_env)(?:_if_exists)?(?=\s|$)(?![^\S\n]*[=:])[^\n]*)(?:\n|$)/y
/**
 * Matches a YAML key whose values follow on lines with more indentation, for example `production:`.
 */
const HEADING_LINE_PATTERN =
  /(?<=^|\n)([^\S\n]*)[\w.-]+:[^\S\n]*\n(?=(?:[^\S\n]*(?:#[^\n]*)?\n)*\1[^\S\n]+(?:[\w.-]+:|-)[^\S\n])/y
/**
 * Matches `export`, `declare -x` and `typeset -x` of shells, `set` of Windows, `$env:` of PowerShell, and `ENV` of
 * Docker.
 */
const PREFIX = String.raw`(?:(?:export|set|env|(?:declare|typeset)[^\S\n]+-[a-wyz]*x\w*)[^\S\n]+|\$env:)`
const NAME_PATTERN = new RegExp(
  String.raw`[^\S\n]*(${PREFIX})?([^\s=:#'"]+)(?:[^\S\n]*=|:(?=\s))|[^\S\n]*-[^\S\n]+()([^\s=:#'"]+)=`,
  'iy'
)
/** Matches a quoted assignment of Windows: `set "NAME=value"`. */
const QUOTED_ASSIGNMENT_PATTERN =
  /[^\S\n]*set[^\S\n]+(["'])([^\s=:#'"]+)=((?:(?!\1)[^\n])*)\1[^\S\n]*(?:\n|$)/iy
const QUOTED_VALUE_PATTERNS: Record<string, RegExp> = {
  '"""': /[^\S\n]*"""([^]*?)"""/y,
  '"': /[^\S\n]*"((?:\\[^]|[^"\\])*)"/y,
  // Shells write an apostrophe as '\''. A backslash before the last quote of a line belongs to the
  // value, for example a Windows folder.
  "'": /[^\S\n]*'((?:'\\''|\\'(?![^\S\n]*(?:[^\S\n]#[^\n]*)?(?:\n|$))|[^'])*)'/y,
  '`': /[^\S\n]*`([^`]*)`/y,
}
/** A backslash is an ordinary character in PowerShell. */
const POWERSHELL_VALUE_PATTERNS: Record<string, RegExp> = {
  '"': /[^\S\n]*"([^"]*)"/y,
  "'": /[^\S\n]*'([^']*)'/y,
}
const UNQUOTED_VALUE_PATTERN = /(?:(?![^\S\n]#)[^\n])*/y
/** Matches an unquoted value after a `PREFIX`. It ends before `; export` or a final `;`. */
const SHELL_VALUE_PATTERN = /(?:(?![^\S\n]#|;[^\S\n]*(?:\n|$|export[^\S\n]))[^\n])*/y
const SEMICOLON_PATTERN = /[^\S\n]*;[^\S\n]*(?=\n|$|#|export[^\S\n])/y
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' }
const MAX_SHOWN_ITEMS = 5

/**
 * Parses a `.env` file as Docker Compose and Laravel do: `#` begins a comment only after a space. Node's
 * `util.parseEnv` and the package `dotenv` cut an unquoted value at each `#`, which breaks passwords.
 * Also accepts output of shells, PowerShell and `heroku config`, lists of Docker Compose, and a JSON object.
 * From a Compose file, reads only the items of `environment:` and lines that begin with `NAME=`. Reports lines
 * that it cannot read. Keeps references such as `${NAME}` unchanged.
 */
export function parseDotenvFile(source: string): DotenvFile {
  const whole = source.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n')
  const file: DotenvFile = { entries: [], problems: [], notes: [] }
  const entries = jsonEntries(whole)
  if (entries) return { entries, problems: [], notes: [] }
  const firstLines = new Map<string, number>()
  const yaml = readYamlEnvironment(whole)
  if (yaml && yaml.services.length > 1) {
    file.problems.push(severalServicesProblem(yaml.services))
    return file
  }
  const text = yaml?.otherLines ?? whole
  const skipped = (yaml?.headingLines ?? []).map((at) => `line ${at} (environment:)`)
  /** Values with references that other programs would replace: unquoted values, and values in double quotes. */
  const expandable: DotenvEntry[] = []
  let at = 0
  let line = 1
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const skipLine = () => match(/[^\n]*(?:\n|$)/y)
  /** @param written the value before escapes are replaced. Null if other programs replace no references in it */
  const addEntry = (name: string, value: string, written: string | null) => {
    if (/^[“”„‘’].*[“”‘’]$/s.test(value))
      file.notes.push(
        `The value of ${name} is in typographic quotation marks, which belong to the value. Use " or ' instead.`
      )
    if (written !== null) {
      expandable.push({ line, name, value: written })
      if (/(?<!\\)\$\{/.test(written))
        file.notes.push(`The value of ${name} contains \${…}, which is not replaced.`)
      if (/(?<!\\)\$\(/.test(written))
        file.notes.push(`The value of ${name} contains $(…), which is not run.`)
    }
    const first = firstLines.get(name)
    if (first !== undefined)
      file.notes.push(`${name} is in lines ${first} and ${line}. The last value was saved.`)
    firstLines.set(name, line)
    file.entries.push({ line, name, value })
  }
  const readAssignment = () => {
    if (match(IGNORED_LINE_PATTERN)) return
    const other = match(COMMAND_LINE_PATTERN) ?? match(HEADING_LINE_PATTERN)
    if (other) {
      // Omits the rest of the line, which can contain a secret.
      skipped.push(`line ${line} (${other[0].trim().split(/\s/, 1)[0]})`)
      return
    }
    const whole = match(QUOTED_ASSIGNMENT_PATTERN)
    if (whole) {
      addEntry(whole[2], whole[3], whole[1] === '"' ? whole[3] : null)
      return
    }
    const [, prefix, plainName, , listName] = match(NAME_PATTERN) ?? []
    const name = plainName ?? listName
    if (name === undefined) {
      skipLine()
      file.problems.push(`Line ${line}: this is not of the form NAME=value.`)
      return
    }
    const isPowerShell = prefix?.startsWith('$') ?? false
    const start = text.slice(at, at + 1_000)
    const quote = (isPowerShell ? /^[^\S\n]*(["'])/ : /^[^\S\n]*("""|["'`])/).exec(start)?.[1]
    const quoted =
      quote && match((isPowerShell ? POWERSHELL_VALUE_PATTERNS : QUOTED_VALUE_PATTERNS)[quote])
    const endsQuoted = () => match(SEMICOLON_PATTERN) ?? match(REST_OF_LINE_PATTERN)
    if (quote && (!quoted || !endsQuoted())) {
      skipLine()
      const problem = quoted
        ? `text follows the closing ${quote}. Write the whole value in quotes.`
        : `the value begins with ${quote}, and no other ${quote} ends it.`
      file.problems.push(`Line ${line}: ${problem}`)
      return
    }
    let value = quoted
      ? quoted[1]
      : match(prefix ? SHELL_VALUE_PATTERN : UNQUOTED_VALUE_PATTERN)![0].trim()
    if (!quoted && !match(SEMICOLON_PATTERN)) skipLine()
    const problem = unreadableValue(value, { prefix, quote, isPowerShell })
    if (problem) {
      file.problems.push(`Line ${line}${problem}`)
      return
    }
    const [, second] = (prefix && !quoted && /\s([A-Za-z_]\w*)=/.exec(value)) || []
    if (second)
      file.notes.push(
        `The value of ${name} contains “${second}=”. If that is a variable, write it in a line of its own.`
      )
    const written = quote === undefined || quote === '"' ? value : null
    if (quote === '"' && !isPowerShell)
      value = value.replace(/\\([nrt"\\$`])/g, (_, escaped: string) => ESCAPES[escaped] ?? escaped)
    if (quote === "'" && !isPowerShell)
      value = value.replaceAll("'\\''", "'").replaceAll("\\'", "'")
    addEntry(name, value, written)
  }
  for (const variable of yaml?.variables ?? []) {
    const { name, value } = variable
    line = variable.line
    if (value.includes('$$'))
      file.notes.push(`The value of ${name} contains $$, which Docker Compose reads as $.`)
    if (/^(["']).*\1$/s.test(value))
      file.notes.push(
        `The value of ${name} is in quotation marks, which belong to the value. Write the quotation marks around the whole item instead.`
      )
    addEntry(name, value, variable.isSingleQuoted ? null : value)
  }
  file.problems.push(...(yaml?.problems ?? []))
  line = 1
  while (at < text.length) {
    const start = at
    readAssignment()
    line += text.slice(start, at).split('\n').length - 1
  }
  for (const { name, value } of expandable) {
    for (const [reference, other] of value.matchAll(/(?<!\\)\$([A-Za-z_]\w*)/g)) {
      if (other !== name && firstLines.has(other))
        file.notes.push(`The value of ${name} contains ${reference}, which is not replaced.`)
    }
  }
  if (skipped.length) file.notes.push(skippedNote(skipped))
  if (yaml?.ignoredKeys.length)
    file.notes.push(`Ignored keys outside environment: ${shorten(yaml.ignoredKeys)}.`)
  return file
}

/**
 * Returns why other programs would read another value than Berth, as the end of a sentence about the line. Null if
 * this function finds no reason.
 */
function unreadableValue(
  value: string,
  options: { prefix?: string; quote?: string; isPowerShell: boolean }
): string | null {
  const { prefix, quote, isPowerShell } = options
  if (isPowerShell && quote !== "'" && value.includes('`'))
    return ': the value contains `, which PowerShell replaces. Write the value in single quotes.'
  if (quote !== undefined) return null
  const [dollarQuote] = /^\$['"]/.exec(value) ?? []
  if (dollarQuote)
    return `: the value begins with ${dollarQuote}, which only shells interpret. Write the value in double quotes.`
  if (prefix && /\s\\$/.test(value))
    return ' continues on the next line. Write each variable in its own line.'
  return null
}

function skippedNote(lines: string[]): string {
  return `Skipped lines that set no variable: ${shorten(lines)}.`
}

function severalServicesProblem(services: string[]): string {
  return `Several services have an environment: ${shorten(services)}. Paste the lines of one service.`
}

function shorten(items: string[]): string {
  const more = items.length - MAX_SHOWN_ITEMS
  const shown = items.slice(0, MAX_SHOWN_ITEMS).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** Reads a JSON object of variables, as `heroku config --json` prints it. Null for other text. */
function jsonEntries(text: string): DotenvEntry[] | null {
  if (!/^\s*\{/.test(text)) return null
  let content: unknown
  try {
    content = JSON.parse(text)
  } catch {
    return null
  }
  const entries = Object.entries(content as Record<string, unknown>)
  const isPlain = entries.every(([, value]) => /^(?:string|number|boolean)$/.test(typeof value))
  if (!isPlain) return null
  return entries.map(([name, value]) => {
    const before = text.slice(0, Math.max(0, text.indexOf(JSON.stringify(name))))
    return { line: before.split('\n').length, name, value: String(value) }
  })
}
