import { Transform } from 'node:stream'

/** Lines longer than this are not rewritten: they contain rows or program text. */
const MAX_LINE_BYTES = 64 * 1024
const LINE_FEED = 10
const OPENING_PARENTHESIS = 40

const QUOTED_NAME = '(?:`(?:``|[^`])*`|"(?:""|[^"])*")'
const ACCOUNT = `${QUOTED_NAME}(?:@${QUOTED_NAME})?`
const PROGRAM_DEFINER = new RegExp(
  `^(/\\*!50\\d{3} CREATE\\*/ )/\\*!50\\d{3} DEFINER=${ACCOUNT}\\*/ `
)
const ROUTINE_DEFINER = new RegExp(`^(CREATE (?:OR REPLACE )?)DEFINER=${ACCOUNT} `)
const VIEW_DEFINER = new RegExp(`^(/\\*!50013 )DEFINER=${ACCOUNT} (SQL SECURITY )`)
const SANDBOX_LINE = /^\/\*M?!999999\\- enable the sandbox mode \*\/ *\r?\n$/
const SETTING = /^(\/\*!500\d\d SET (sql_mode|collation_connection) +=) (\S+) \*\/( ?;+\n)$/
/** Modes that MySQL 8 rejects. Source: "Server SQL Modes" in the manuals of MySQL 8.4 and MariaDB. */
const MARIADB_MODES = new Set(
  (
    'NO_AUTO_CREATE_USER DB2 MAXDB MSSQL MYSQL323 MYSQL40 ORACLE POSTGRESQL NO_FIELD_OPTIONS NO_KEY_OPTIONS ' +
    'NO_TABLE_OPTIONS IGNORE_BAD_TABLE_OPTIONS EMPTY_STRING_IS_NULL SIMULTANEOUS_ASSIGNMENT TIME_ROUND_FRACTIONAL'
  ).split(' ')
)
/** Collations that MySQL lacks. Skips strings and quoted names, which may contain their names. */
const MARIADB_COLLATION =
  /'(?:[^'\\]|\\.|'')*'|`(?:[^`]|``)*`| COLLATE[ =](\w*(?:uca1400|nopad)\w*)/g
const SEQUENCE_LINE =
  /^(?:DROP SEQUENCE IF EXISTS|CREATE SEQUENCE|(?:DO|SELECT) SETVAL\() ?`[^/*#]*;\n$/
const TYPES_PATTERN = /^ {2}`(?:``|[^`])*` (uuid|inet4|inet6|vector\(\d+\)|xmltype)\b/

/**
 * A function call as default, outside of strings and quoted names. MySQL needs parentheses around it, except for
 * `current_timestamp`.
 */
const FUNCTION_DEFAULT =
  /'(?:[^'\\]|\\.|'')*'|`(?:[^`]|``)*`|( DEFAULT )(?!current_timestamp\()(?=\w+\()/gi
const STRINGS_AND_PARENTHESES = /'(?:[^'\\]|\\.|'')*'|`(?:[^`]|``)*`|[()]/g
/** Default of a text or blob column. MySQL needs parentheses around it too. */
const TEXT_DEFAULT =
  /^( {2}`(?:``|[^`])*` (?:tiny|medium|long)?(?:text|blob)\b[^']*? DEFAULT )((?:_\w+)?'(?:[^'\\]|\\.|'')*')/

/** MariaDB executes comments that begin with `/*M!` and a version number from that version on. MySQL skips them. */
const versionFor = (collation: string) => (collation.includes('uca1400') ? '101001' : '100202')

/**
 * Rewrites the output of mariadb-dump, so that an ordinary user can load it into MySQL 8 or another MariaDB.
 * Removes definers and the line that enables the client's sandbox mode. Moves settings and collations of MariaDB
 * into comments that only MariaDB executes.
 */
export class PortableDump extends Transform {
  /** Start of a line whose end has not arrived yet. */
  #rest: Buffer = Buffer.alloc(0)
  #isLongLine = false
  #isFirst = true
  /** State inside `DELIMITER ;;`. `head`: before the body of a CREATE statement. `body`: in the body. */
  #block: 'none' | 'head' | 'body' = 'none'
  #isTable = false
  #isViewNext = false
  readonly #only = new Set<string>()

  comments(): string {
    if (this.#only.size === 0) return ''
    const list = [...this.#only].slice(0, 20).join(', ')
    return `--\n-- Only MariaDB knows these parts of the file: ${list}.\n-- MySQL rejects or ignores them.\n--\n\n`
  }

  override _transform(chunk: Buffer, _encoding: string, done: () => void): void {
    const buffer = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    let sent = 0
    let at = 0
    for (;;) {
      const feed = buffer.indexOf(LINE_FEED, at)
      if (feed < 0) break
      const line = this.#isLongLine ? null : this.#line(buffer, at, feed + 1)
      this.#isLongLine = false
      if (line !== null) {
        if (at > sent) this.push(buffer.subarray(sent, at))
        if (line) this.push(Buffer.from(line, 'latin1'))
        sent = feed + 1
      }
      at = feed + 1
    }
    this.#isLongLine ||= buffer.length - at > MAX_LINE_BYTES
    const end = this.#isLongLine ? buffer.length : at
    if (end > sent) this.push(buffer.subarray(sent, end))
    this.#rest = buffer.subarray(end)
    done()
  }

  override _flush(done: () => void): void {
    if (this.#rest.length > 0) this.push(this.#rest)
    done()
  }

  /** Null: the line stays as it is. */
  #line(buffer: Buffer, from: number, to: number): string | null {
    if (buffer[from] === OPENING_PARENTHESIS || to - from > MAX_LINE_BYTES) return null
    const text = buffer.toString('latin1', from, to)
    const changed = this.#rewrite(text)
    return changed === text ? null : changed
  }

  #rewrite(text: string): string {
    if (this.#isFirst) {
      this.#isFirst = false
      if (SANDBOX_LINE.test(text)) return ''
    }
    if (this.#block !== 'none') return this.#rewriteInBlock(text)
    if (text === 'DELIMITER ;;\n') this.#block = 'head'
    else if (this.#isTable) return this.#rewriteColumn(text)
    else if (text.startsWith('CREATE TABLE `')) this.#isTable = true
    else if (SEQUENCE_LINE.test(text)) {
      this.#only.add('sequences')
      return `/*M!100300 ${text.slice(0, -2)} */;\n`
    } else if (text.startsWith('/*!50001 CREATE ALGORITHM=')) this.#isViewNext = true
    else if (this.#isViewNext) {
      this.#isViewNext = false
      return text.replace(VIEW_DEFINER, '$1$2')
    } else if (text.startsWith('/*!50001 VIEW ')) {
      // This line is itself a comment, which cannot contain another. The collation stays, and MySQL cannot load the
      // view.
      const [, name] = / collate (\w*(?:uca1400|nopad)\w*)/.exec(text) ?? []
      if (name) this.#only.add(`collation ${name}`)
    }
    return this.#rewriteSetting(text)
  }

  #rewriteInBlock(text: string): string {
    if (text === 'DELIMITER ;\n') this.#block = 'none'
    const isEnd = text === ';;\n' || /\*\/ ?;;\n$/.test(text)
    if (this.#block !== 'head' || text.startsWith('/*!50003 SET ')) {
      if (isEnd && this.#block === 'body') this.#block = 'head'
      return this.#block === 'body' ? text : this.#rewriteSetting(text)
    }
    if (!isEnd) this.#block = 'body'
    if (/^CREATE (?:OR REPLACE )?(?:DEFINER=\S+ )?PACKAGE /.test(text)) this.#only.add('packages')
    const program = text.replace(PROGRAM_DEFINER, '$1').replace(ROUTINE_DEFINER, '$1')
    // Parameters stay unchanged, because MariaDB stores them as text. Only the type of the result is rewritten.
    const result = program.startsWith('CREATE') ? program.lastIndexOf(') RETURNS ') : -1
    if (result < 0) return program
    return program.slice(0, result) + this.#collations(program.slice(result))
  }

  #rewriteColumn(text: string): string {
    if (text.startsWith(')')) this.#isTable = false
    const [, type] = TYPES_PATTERN.exec(text) ?? []
    if (type) this.#only.add(`columns of type ${type}`)
    if (/^\) .*WITH SYSTEM VERSIONING/.test(text)) this.#only.add('system-versioned tables')
    return this.#collations(wrapDefault(text))
  }

  /**
   * Moves collations that MySQL and older MariaDB versions lack into comments. On those servers, the default of the
   * character set applies.
   */
  #collations(text: string): string {
    return text.replace(MARIADB_COLLATION, (all: string, name?: string) => {
      if (!name) return all
      this.#only.add(`collation ${name}`)
      return ` /*M!${versionFor(name)}${all} */`
    })
  }

  #rewriteSetting(text: string): string {
    const [, start, name, value, end] = SETTING.exec(text) ?? []
    if (!start) return text
    if (name === 'collation_connection') {
      if (!/uca1400|nopad/.test(value)) return text
      // Some character sets have no collation `unicode_ci`, but all that have uca1400 collations do.
      const known = value.includes('uca1400')
        ? `${value.split('_')[0]}_unicode_ci`
        : value.replace('_nopad', '')
      return `${start} ${known} */${end}/*M!${versionFor(value)} SET ${name} = ${value} */${end}`
    }
    const modes = value.slice(1, -1).split(',')
    const known = modes.filter((mode) => !MARIADB_MODES.has(mode))
    if (!value.startsWith("'") || known.length === modes.length) return text
    return `${start} '${known.join(',')}' */${end}/*M!100000 SET ${name} = ${value} */${end}`
  }
}

/** Writes `DEFAULT (uuid())` instead of `DEFAULT uuid()`. MariaDB accepts both, MySQL only the first. */
function wrapDefault(column: string): string {
  if (TEXT_DEFAULT.test(column)) return column.replace(TEXT_DEFAULT, '$1($2)')
  const start = [...column.matchAll(FUNCTION_DEFAULT)].find(([, keyword]) => keyword)
  if (!start) return column
  const from = start.index + start[0].length
  let depth = 0
  for (const { 0: token, index } of column.slice(from).matchAll(STRINGS_AND_PARENTHESES)) {
    if (token === '(') depth++
    if (token !== ')' || --depth > 0) continue
    const end = from + index + 1
    return `${column.slice(0, from)}(${column.slice(from, end)})${column.slice(end)}`
  }
  return column
}
