/** Tokens of a statement, in upper case. */
interface TokenList {
  length: number
  at(index: number): string
  /** Offset of the token's first character. */
  from(index: number): number
  to(index: number): number
}

export interface TextEdit {
  from: number
  to: number
  by: string
}

interface QualifiedName {
  parts: { from: number; to: number; name: string }[]
  dots: number[]
  /** Index of the token after the name. */
  next: number
}

interface PlacedName extends QualifiedName {
  at: number
  /**
   * How sure it is that the first part of the name is a database. `certain`: it is. `likely`: it usually is, as in
   * `CALL a.b`. `unclear`: it may also be a table or an alias.
   */
  position: 'certain' | 'likely' | 'unclear'
}

export interface StatementKind {
  first: string
  object: string
  /** Index of the first token in a stored program's body. */
  bodyAt: number
}

export type InsertHead = 'more' | 'hold' | { edits: TextEdit[]; length: number }

/**
 * Names of the databases in a dump. Removes the dump's own database from qualified names, so that they refer to the
 * database that an import fills. It never inserts a database name. If it keeps a name by mistake, the import account
 * still has no rights on databases other than the import's own. The class must not refer to anything outside itself,
 * because this file also runs on the server's machine (see `run_dump_import.ts`).
 */
export class DatabaseNames {
  problem = ''
  /** Names that were changed or kept in the last statement, as sentences for the person who imports. */
  notes: string[] = []
  readonly #ignoresCase: boolean
  /** Database names found so far. Keys are in lower case if the server ignores case. */
  readonly #names = new Map<string, string>()
  /** Database name in the comment at the top of the dump. Used only if the dump contains a qualified name. */
  #headName = ''
  readonly #systemNames = new Set(['mysql', 'information_schema', 'performance_schema', 'sys'])
  readonly #listStarts = new Set(['FROM', 'JOIN', 'STRAIGHT_JOIN', 'UPDATE'])
  readonly #listEnds = new Set(
    (
      'WHERE ON USING SET GROUP ORDER HAVING LIMIT UNION EXCEPT INTERSECT SELECT VALUES VALUE WINDOW DO THEN ' +
      'BEGIN RETURN FOR'
    ).split(' ')
  )
  readonly #tableLists = new Set('DROP RENAME ANALYZE CHECK CHECKSUM OPTIMIZE REPAIR'.split(' '))
  /** Words after which the first part of a qualified name is a database. */
  readonly #beforeObjects = new Set(
    'JOIN REFERENCES VIEW TRIGGER PROCEDURE FUNCTION EVENT SEQUENCE PACKAGE BODY TABLE TABLES EXISTS TRUNCATE DESCRIBE EXPLAIN'.split(
      ' '
    )
  )
  readonly #modifiers = new Set('LOW_PRIORITY DELAYED HIGH_PRIORITY IGNORE'.split(' '))
  readonly #headBytes = 4_096

  constructor({ ignoresCase = false }: { ignoresCase?: boolean } = {}) {
    this.#ignoresCase = ignoresCase
  }

  /** Reads the database's name from the comments of mysqldump and phpMyAdmin. */
  readHead(text: string): void {
    const [, name = ''] =
      /^-- Host: .*?\s+Database: (\S[^\r\n]*?)\s*$/m.exec(text) ??
      /^-- Database: [`'"]?([^\r\n]*?)[`'"]?\s*$/m.exec(text) ??
      []
    this.#headName = name
  }

  add(written = ''): void {
    const name = this.#unquote(written).slice(0, 64)
    const key = this.#key(name)
    if (!this.#names.has(key)) this.#names.set(key, name)
  }

  /** Returns '' if the dump contains at most one database. */
  rejectSeveral(): string {
    if (this.#names.size < 2) return ''
    const names = [...this.#names.values()]
    const shown = Buffer.from(names.slice(0, 10).join(', '), 'latin1').toString()
    const others = names.length > 10 ? ` and ${names.length - 10} more` : ''
    const isCase = new Set(names.map((each) => each.toLowerCase())).size === 1
    const why = isCase
      ? ' Names that differ only in capital letters are different databases here.'
      : ''
    return `The file contains several databases (${shown}${others}).${why} Import them one by one.`
  }

  edits(text: string, tokens: TokenList, kind: StatementKind): TextEdit[] {
    this.notes = []
    if (!text.includes('.')) return []
    const lone = new Set<string>()
    const found = this.#find(text, tokens, kind, lone)
    const removed = new Set<PlacedName>()
    // Certain names come first, because they may show which database the dump is of.
    for (const isCertain of [true, false]) {
      for (const each of found) {
        if ((each.position === 'certain') !== isCertain) continue
        const inBody = each.at >= kind.bodyAt
        const { name } = each.parts[0]
        if (!this.#matches(name, isCertain, inBody)) continue
        const isOther =
          each.position === 'unclear' &&
          (lone.has(name.toLowerCase()) ||
            (kind.object === 'TRIGGER' && /^(?:new|old)$/i.test(name)) ||
            /^(?:\*|nextval|currval)$/i.test(each.parts[1].name))
        if (!isOther) removed.add(each)
        else if (inBody && !/^(?:new|old)$/i.test(name)) {
          this.notes.push(
            `Stored program: ${this.#show(name)}.${this.#show(each.parts[1].name)} was kept, because ${this.#show(name)} may be a table or alias instead of the database`
          )
        }
        if (this.problem) return []
      }
    }
    this.#noteTexts(text, tokens, kind)
    return found.flatMap((each) => (removed.has(each) ? this.#removal(text, each) : []))
  }

  /** Reads the start of an INSERT or REPLACE, up to the word after the table and its columns. */
  insertHead(bytes: Buffer, isWhole: boolean): InsertHead {
    this.notes = []
    const text = bytes.toString('latin1', 0, this.#headBytes)
    const isCut = !isWhole && bytes.length < this.#headBytes
    const name = '(`(?:``|[^`])*`|"(?:""|[^"\\\\])*"|[\\w$\\x80-\\xff]+)'
    const [start] =
      /^(?:insert|replace)\s+(?:(?:low_priority|delayed|high_priority|ignore|into)(?:\s+|(?=[`"])))*/i.exec(
        text
      )!
    const rest = text.slice(start.length)
    const match = new RegExp(`^${name}(?:(\\s*)\\.(\\s*)${name})?\\s*`).exec(rest)
    const end = match?.[0].length ?? 0
    const columns = /^\((?!\s*(?:select|with)\b)(?:[^()`]|`(?:``|[^`])*`)*\)\s*/i.exec(
      rest.slice(end)
    )
    const tail = rest.slice(end + (columns?.[0].length ?? 0))
    // The bytes end here, so a quoted name, a dot or a word may be incomplete.
    if (isCut && (!match || tail.length < 16)) return 'more'
    if (!match || /^(?:[/#.-]|\(\s*(?:select|with)\b|(?:select|with|table)\b)/i.test(tail))
      return 'hold'
    const [, database, before, after, table] = match
    const length = start.length + end
    if (table === undefined) return { edits: [], length: 0 }
    if (!this.#matches(this.#unquote(database), true, false)) return { edits: [], length: 0 }
    const at = start.length + database.length + before.length
    const parts = [
      { from: start.length, to: start.length + database.length, name: this.#unquote(database) },
      { from: at + 1 + after.length, to: at + 1 + after.length + table.length, name: table },
    ]
    return { edits: this.#removal(text, { parts, dots: [at], next: 0 }), length }
  }

  #key(name: string): string {
    return this.#ignoresCase ? name.toLowerCase() : name
  }

  #show(name: string): string {
    return Buffer.from(name.slice(0, 64), 'latin1').toString()
  }

  #unquote(written: string): string {
    const quote = written[0]
    if (quote !== '`' && quote !== '"') return written
    return written.slice(1, -1).replaceAll(quote + quote, quote)
  }

  /**
   * Returns whether the name is that of the dump's database. If the position is certain, adds the name to those
   * found. For a second database, adds a note in a stored program, and sets `problem` elsewhere.
   */
  #matches(name: string, isCertain: boolean, inBody: boolean): boolean {
    if (this.#systemNames.has(name.toLowerCase())) return false
    const key = this.#key(name)
    const headKey = this.#key(this.#headName)
    if (this.#names.has(key)) return true
    const isHead = this.#names.size === 0 && headKey !== '' && headKey === key
    if (!isHead && !isCertain) return false
    if (!isHead && inBody && (this.#names.size > 0 || headKey !== '')) {
      const shown = this.#show(name)
      this.notes.push(
        `Stored program: it uses the database ${shown}, which it cannot access after this import`
      )
      return false
    }
    if (!isHead && this.#names.size === 0 && headKey) this.#names.set(headKey, this.#headName)
    this.#names.set(key, name)
    if (this.#names.size === 1) return true
    this.problem = this.rejectSeveral()
    return false
  }

  #find(text: string, tokens: TokenList, kind: StatementKind, lone: Set<string>): PlacedName[] {
    const found: PlacedName[] = []
    const open: { isList: boolean; isQuery: boolean }[] = []
    let isList = false
    let isQuery = true
    let ons = 0
    let at = 0
    while (at < tokens.length) {
      const token = tokens.at(at)
      const before = tokens.at(at - 1)
      const name = this.#nameAt(text, tokens, at)
      if (!name) {
        if (token === '(') {
          open.push({ isList, isQuery })
          isList &&= /^(?:FROM|JOIN|STRAIGHT_JOIN|UPDATE|[,(])$/.test(before)
          isQuery = /^(?:SELECT|WITH|\()$/.test(tokens.at(at + 1))
        } else if (token === ')') ({ isList, isQuery } = open.pop() ?? { isList, isQuery })
        else if (token === ';') {
          isList = false
          isQuery = true
          open.length = 0
        }
        at++
        continue
      }
      if (name.parts.length === 1) {
        lone.add(name.parts[0].name.toLowerCase())
        if (token === 'ON') ons++
        if (this.#listStarts.has(token)) {
          // `EXTRACT(YEAR FROM …)` and `ON DUPLICATE KEY UPDATE` are not followed by tables.
          if (token === 'FROM') isList = isQuery && before !== 'SYSTEM_TIME'
          else if (token === 'UPDATE') isList = !/^(?:KEY|ON|FOR)$/.test(before)
          else isList = true
        } else if (/^TABLES?$/.test(token)) {
          const verb = before === 'TEMPORARY' ? tokens.at(at - 2) : before
          isList = this.#tableLists.has(verb)
        } else if (this.#listEnds.has(token)) isList = false
      } else {
        for (const { name: part } of name.parts.slice(1)) lone.add(part.toLowerCase())
        const isObject = this.#isObject(tokens, at, kind, {
          isList,
          isOn: ons === 1,
        })
        let position: PlacedName['position'] = 'unclear'
        if (name.parts.length === 3) position = isObject ? 'unclear' : 'certain'
        else if (isObject) position = 'certain'
        else if (/^(?:CALL|FOLLOWS|PRECEDES|DELETE)$/.test(before) || tokens.at(name.next) === '(')
          position = 'likely'
        if (name.parts.length < 4)
          found.push({ parts: name.parts, dots: name.dots, next: name.next, at, position })
      }
      at = name.next
    }
    return found
  }

  #isObject(
    tokens: TokenList,
    at: number,
    { first, object }: StatementKind,
    { isList, isOn }: { isList: boolean; isOn: boolean }
  ): boolean {
    const before = tokens.at(at - 1)
    if (before === ',' || before === '(' || before === 'FROM' || before === 'UPDATE') return isList
    if (this.#beforeObjects.has(before)) return true
    if (before === 'TO' || before === 'RENAME') return first === 'RENAME' || first === 'ALTER'
    if (before === 'ON') return isOn && (object === 'INDEX' || object === 'TRIGGER')
    if (before === 'FOR') return tokens.at(at - 2) === 'VALUE'
    if (before === 'LIKE') return first === 'CREATE' && object === 'TABLE'
    let verb = at - 1
    if (tokens.at(verb) === 'INTO') verb--
    while (this.#modifiers.has(tokens.at(verb))) verb--
    const word = tokens.at(verb)
    return word === 'INSERT' || word === 'REPLACE' || (word === 'UPDATE' && isList)
  }

  /** Returns the name that starts at a token. Null: the token is a number, a string or something else. */
  #nameAt(text: string, tokens: TokenList, at: number): QualifiedName | null {
    const parts: QualifiedName['parts'] = []
    const dots: number[] = []
    let isDotNext = false
    let next = at
    for (; next < tokens.length; next++) {
      let from = tokens.from(next)
      const to = tokens.to(next)
      const character = text[from]
      if (
        character === '`' ||
        (character === '"' && (parts.length > 0 || this.#isDotAt(text, to)))
      ) {
        if (isDotNext) break
        parts.push({ from, to, name: this.#unquote(text.slice(from, to)) })
        isDotNext = true
        continue
      }
      if (character === '*' && !isDotNext && parts.length > 0) {
        parts.push({ from, to, name: '*' })
        next++
        break
      }
      if (!/[\w$.\x80-\xff]/.test(character) || (isDotNext && character !== '.')) break
      const isNumber = /^(?:\d+\.?\d*|\.\d+)(?:e\d*)?$/i.test(text.slice(from, to))
      if (parts.length === 0 && (isNumber || character === '.')) return null
      while (from < to) {
        if (text[from] === '.') {
          if (!isDotNext) return null
          dots.push(from++)
          isDotNext = false
          continue
        }
        const dot = text.slice(from, to).indexOf('.')
        const end = dot < 0 ? to : from + dot
        parts.push({ from, to: end, name: text.slice(from, end) })
        from = end
        isDotNext = true
      }
    }
    // Tokens that end with a dot are not a name.
    return parts.length === 0 || dots.length >= parts.length ? null : { parts, dots, next }
  }

  #isDotAt(text: string, at: number): boolean {
    return /^\s*\./.test(text.slice(at, at + 100))
  }

  /**
   * Returns the edits that remove the first part of a name and its dot. Keeps comments between them, because a
   * versioned comment may end there.
   */
  #removal(text: string, { parts, dots }: QualifiedName): TextEdit[] {
    const [database, rest] = parts
    const lines = text.slice(database.from, database.to).replaceAll(/[^\n]/g, '')
    const space = /^[\s(,=]?$/.test(text.slice(0, database.from).slice(-1)) ? '' : ' '
    const edits = [
      { from: database.from, to: database.to, by: space + lines },
      { from: dots[0], to: dots[0] + 1, by: '' },
    ]
    // Without a preceding dot, a reserved word needs quotes.
    const written = text.slice(rest.from, rest.to)
    if (/^[\w$]+$/.test(written)) edits.push({ from: rest.from, to: rest.to, by: `\`${written}\`` })
    this.notes.push(`Database name ${this.#show(database.name)}: replaced by this database`)
    return edits
  }

  /**
   * Adds a note for each string in a stored program that contains the database's name. The program may run the
   * string as a statement, so it stays unchanged.
   */
  #noteTexts(text: string, tokens: TokenList, { bodyAt }: StatementKind): void {
    if (bodyAt >= tokens.length || this.#names.size !== 1) return
    const [name] = this.#names.values()
    for (let at = bodyAt; at < tokens.length; at++) {
      const from = tokens.from(at)
      if (text[from] !== "'" && text[from] !== '"') continue
      const written = text.slice(from, tokens.to(at)).toLowerCase().replaceAll('`', '')
      const found = written.indexOf(`${name.toLowerCase()}.`)
      if (found < 0 || /[\w$]/.test(written[found - 1] ?? '')) continue
      this.notes.push(
        `Stored program: a string with the database name ${this.#show(name)} was not changed`
      )
    }
  }
}
