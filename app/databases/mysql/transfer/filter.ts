/** A kind of statement that was left out of an import, or a kind of change to statements. */
export interface Finding {
  /** The kind of statement (`CREATE USER`), or the change in one sentence. */
  what: string
  /** Why statements of this kind are left out. Absent for changes. */
  why?: string
  count: number
  /** Line of the first one in the dump. */
  line: number
}

export interface FilterReport {
  findings: Finding[]
  /** Number of findings beyond the first 100 kinds, which are not listed. */
  unlisted: number
  /** Why the dump cannot be imported; null while nothing speaks against it. */
  refusal: { words: string; line: number } | null
  /** Bytes of the longest statement, and where it begins. */
  longest: { bytes: number; line: number }
  statements: number
  /** Number of statements passed on that create, change or remove something in the database. */
  changes: number
  /** Whether it has the head of mariadb-dump or mysqldump, and their last line. */
  dumpHead: boolean
  dumpEnd: boolean
  lines: number
}

export interface FilterOptions {
  /** Collations that the server knows, in small letters; without them none is replaced. */
  collations?: string[]
  /** Bytes that the server takes in one statement. */
  maxPacket?: number
}

/**
 * Reads a dump of MySQL or MariaDB as it flows, statement by statement as their client does, and
 * gives on what may be given on, with as many lines as it had. Long lists of rows pass through as
 * they are; all other statements are looked at word by word.
 *
 * It keeps nobody out: that does the account under which the dump runs. It makes dumps of other
 * servers work, and says why one cannot. The class refers to nothing outside itself, because its
 * source also runs on machines (see `client.ts`).
 */
export class SqlFilter {
  readonly report: FilterReport = {
    findings: [],
    unlisted: 0,
    refusal: null,
    longest: { bytes: 0, line: 0 },
    statements: 0,
    changes: 0,
    dumpHead: false,
    dumpEnd: false,
    lines: 1,
  }
  /** Bytes of a statement that is looked at as a whole. */
  readonly #most = 16 * 1024 * 1024
  readonly #oneDatabase = 'Everything goes into this database, which keeps its own character set.'
  readonly #loneReturn =
    'Lines of the file end with a carriage return (CR) alone, as on old Macs. The server would treat the following lines as part of this one. Save the file with line feeds (LF or CR LF) and import it again.'
  readonly #usersOnPage = 'Users and their rights are managed on the page.'
  readonly #wholeServer = 'It concerns the whole server.'
  readonly #stops = new Uint8Array(256)
  /**
   * First words of statements that do not change a database. `BEGIN NOT ATOMIC` is not one: it contains other
   * statements.
   */
  readonly #idle = new Set(
    (
      'SET SELECT VALUES SHOW EXPLAIN DESCRIBE DESC HELP DO START BEGIN COMMIT ROLLBACK SAVEPOINT RELEASE XA ' +
      'ANALYZE CHECK CHECKSUM OPTIMIZE REPAIR PREPARE DEALLOCATE LOCK UNLOCK FLUSH USE'
    ).split(' ')
  )
  readonly #collations: Set<string> | null
  readonly #maxPacket: number
  readonly #databases = new Set<string>()
  #delimiter = Buffer.from(';')
  #rest: Buffer = Buffer.alloc(0)
  /** The quote that is open, `#` in a comment to the end of the line, `*` in one of several lines; 0: none. */
  #inside = 0
  /** `begin`: between two statements. `pass`: rows go through. `hold`: gathered whole. */
  #state: 'begin' | 'pass' | 'hold' = 'begin'
  #statementLine = 1
  #statementBytes = 0
  /** How much of the held statement has been looked through. */
  #looked = 0
  #leftOut = false
  #isChange = true
  #first = true
  /**
   * Whether the statement may have changed sql_mode, or the character set, in a way that this filter cannot
   * determine.
   */
  #unsureMode = false
  #unsureCharset = false
  /** Whether sql_mode has ANSI_QUOTES: a backslash in double quotes is then no escape. */
  #ansi = false
  /** Whether the second byte of a character may be a backslash or a backtick. */
  #multibyte = false
  /** The last byte of the previous chunk; a line feed before the first chunk. */
  #before = 10
  /** Statements that cannot change sql_mode or the character set of the session. */
  readonly #inert = new Set(
    (
      'ALTER ANALYZE CHECK COMMIT CREATE DEALLOCATE DELETE DESCRIBE DO DROP EXPLAIN INSERT LOCK ' +
      'OPTIMIZE PREPARE RELEASE RENAME REPAIR REPLACE ROLLBACK SAVEPOINT SELECT SET SHOW START ' +
      'TRUNCATE UNLOCK UPDATE'
    ).split(' ')
  )

  constructor({ collations, maxPacket }: FilterOptions = {}) {
    this.#collations = collations?.length ? new Set(collations) : null
    this.#maxPacket = maxPacket || Infinity
    this.#setDelimiter(';')
  }

  /** Takes a part of the dump; answers what may be given on. Empty once it is refused. */
  push(chunk: Buffer, last = false): Buffer[] {
    const out: Buffer[] = []
    if (this.report.refusal) return out
    let buffer = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    if (this.#first) {
      if (buffer.length < 4_096 && !last) return ((this.#rest = buffer), out)
      this.#first = false
      buffer = this.#head(buffer)
    }
    const used = this.#scan(buffer, out, last)
    this.#rest = buffer.subarray(used)
    if (used > 0) this.#before = buffer[used - 1]
    return this.report.refusal ? [] : out
  }

  /** No more comes. */
  end(): Buffer[] {
    const out = this.push(Buffer.alloc(0), true)
    const { report } = this
    if (this.#state !== 'begin' || this.#inside) {
      this.#refuse(
        'The file ends in the middle of a statement: it was cut off.',
        this.#statementLine
      )
    } else if (report.dumpHead && !report.dumpEnd) {
      this.#refuse('The file ends without the line “Dump completed”: it was cut off.', report.lines)
    } else if (this.#databases.size > 1) {
      const names = [...this.#databases].join(', ')
      this.#refuse(`The file holds several databases (${names}). Import them one by one.`, 1)
    }
    return report.refusal ? [] : out
  }

  /** The first lines: byte order mark, the switch to the client's sandbox, who wrote it. */
  #head(buffer: Buffer): Buffer {
    if (
      buffer.length >= 2 &&
      ((buffer[0] === 0xff && buffer[1] === 0xfe) || (buffer[0] === 0xfe && buffer[1] === 0xff))
    ) {
      this.#refuse('The file is written in UTF-16. Save it as UTF-8 and try again.', 1)
      return buffer
    }
    if (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf) buffer = buffer.subarray(3)
    const text = buffer.toString('latin1', 0, 4_096)
    this.report.dumpHead = /^-- (?:MariaDB|MySQL) dump /m.test(text)
    const sandbox = /^\s*\/\*M?!999999\\- [^\n]*\*\/\s*?(?=\r?\n|$)/.exec(text)
    // A comment of the same kind keeps the lines as they were.
    if (!sandbox) return buffer
    const lines = sandbox[0].split('\n').length - 1
    return Buffer.concat([Buffer.from('\n'.repeat(lines)), buffer.subarray(sandbox[0].length)])
  }

  #scan(buffer: Buffer, out: Buffer[], last: boolean): number {
    const stops = this.#stops
    const end = buffer.length
    const ahead = last ? 0 : Math.max(16, this.#delimiter.length)
    let start = 0
    let at = this.#state === 'hold' ? this.#looked : 0
    while (at < end) {
      if (this.#inside) {
        at = this.#leave(buffer, start, at, end, last)
        if (this.report.refusal) return end
        if (at < 0) {
          at = -at - 1
          break
        }
        continue
      }
      if (this.#state === 'begin') {
        const next = this.#begin(buffer, at, end, last)
        if (next < 0) break
        if (next > at) {
          // White space and comments between statements.
          at = next
          continue
        }
        if (this.#inside) {
          at += this.#inside === 42 ? 2 : 1
          continue
        }
        this.#countLines(buffer, start, at, out)
        start = at
        this.#statementLine = this.report.lines
        this.#statementBytes = 0
        const command = this.#command(buffer, at, end, last)
        if (command < 0) break
        if (this.report.refusal) return end
        if (command > at) {
          this.#countLines(buffer, start, command, this.#leftOut ? [] : out)
          this.#leftOut = false
          start = at = command
          continue
        }
        const kind = this.#kind(buffer, at, end, last)
        if (!kind) break
        this.#state = kind
      }
      while (at < end && stops[buffer[at]] === 0) at++
      if (at >= end) break
      if (end - at < ahead) break
      const byte = buffer[at]
      if (this.#isDelimiter(buffer, at)) {
        const after = at + this.#delimiter.length
        this.#finish(buffer, start, after, out)
        if (this.report.refusal) return end
        start = at = after
      } else if (byte === 39 || byte === 34 || byte === 96) {
        this.#inside = byte
        at++
      } else if (byte === 35 || (byte === 45 && this.#isDashes(buffer, at))) {
        this.#inside = 35
        at++
      } else if (byte === 47 && buffer[at + 1] === 42 && !this.#isVersioned(buffer, at)) {
        this.#inside = 42
        at += 2
      } else if (byte === 0) {
        this.#refuseZero(this.#lineAt(buffer, start, at))
        return end
      } else if (byte === 92) {
        this.#refuse(
          'The file holds a command for the client (a backslash outside of a text), which is not run here.',
          this.#lineAt(buffer, start, at)
        )
        return end
      } else at++
    }
    if (this.#state === 'hold') {
      if (at - start > this.#most) {
        this.#refuse(
          'A statement that is not a list of rows is longer than 16 MB.',
          this.#statementLine
        )
        return end
      }
      if (!last) return ((this.#looked = at - start), start)
      // The last statement may do without its delimiter.
      if (!this.#inside) this.#finish(buffer, start, end, out)
      return end
    }
    if (this.#state === 'pass') {
      this.#statementBytes += at - start
      this.#assertLength()
      this.#countLines(buffer, start, at, out)
      if (last && at >= end && !this.#inside) this.#ended()
      return at
    }
    this.#countLines(buffer, start, at, out)
    return at
  }

  /** To the end of a text, name or comment; below zero: -1 minus how far it came, and it goes on. */
  #leave(buffer: Buffer, start: number, from: number, end: number, last: boolean): number {
    const inside = this.#inside
    let at = from
    if (inside === 35) {
      const line = buffer.indexOf(10, at)
      let until = line < 0 ? end : line
      // A CR at the end of a chunk waits for the next byte: only that shows whether it is a lone CR.
      if (line < 0 && !last && until > at && buffer[until - 1] === 13) until--
      if (buffer.subarray(at, until).includes(0)) {
        this.#refuseZero(this.#lineAt(buffer, start, at))
        return end
      }
      if (this.#hasLoneReturn(buffer, at, until, end)) {
        this.#refuse(this.#loneReturn, this.#lineAt(buffer, at, at))
        return end
      }
      if (
        this.#state === 'begin' &&
        until - at < 200 &&
        buffer.toString('latin1', at, until).includes('- Dump completed')
      ) {
        // Only where the line is there whole.
        if (line >= 0 || last) this.report.dumpEnd = true
        else return -at - 1
      }
      if (line < 0) {
        if (last) return ((this.#inside = 0), end)
        // Short ones wait until they are there whole.
        return end - at < 200 ? -at - 1 : -until - 1
      }
      this.#inside = 0
      return line
    }
    if (inside === 42) {
      const close = buffer.indexOf('*/', at, 'latin1')
      if (buffer.subarray(at, close < 0 ? end : close).includes(0)) {
        this.#refuseZero(this.#lineAt(buffer, start, at))
        return end
      }
      if (close < 0) return -Math.max(from, end - 1) - 1
      this.#inside = 0
      return close + 2
    }
    if (inside === 96) {
      const close = buffer.indexOf(96, at)
      if (close < 0) return end
      this.#inside = 0
      return close + 1
    }
    for (;;) {
      let byte = 0
      while (at < end && (byte = buffer[at]) !== inside && byte !== 92) at++
      if (at >= end) return end
      if (byte !== 92) {
        this.#inside = 0
        return at + 1
      }
      if (at + 1 >= end) return last ? end : -at - 1
      if (this.#ansi && inside === 34) {
        this.#refuse(
          'A text in double quotes holds a backslash, which has no clear meaning under the sql_mode ANSI_QUOTES that the file sets. Export it again without ANSI_QUOTES.',
          this.#lineAt(buffer, start, at)
        )
        return end
      }
      if (this.#multibyte && (at > 0 ? buffer[at - 1] : this.#before) > 127) {
        this.#refuse(
          'The file sets a character set in which a backslash can be a part of a letter (such as gbk or sjis). Export it again as utf8mb4.',
          this.#lineAt(buffer, start, at)
        )
        return end
      }
      at += 2
    }
  }

  /** Whether text follows a CR without LF. The server treats that text as part of the comment. */
  #hasLoneReturn(buffer: Buffer, from: number, until: number, end: number): boolean {
    for (
      let at = buffer.indexOf(13, from);
      at >= 0 && at < until;
      at = buffer.indexOf(13, at + 1)
    ) {
      if (at + 1 < end && buffer[at + 1] !== 10 && buffer[at + 1] !== 13) return true
    }
    return false
  }

  /** Behind white space, or into a comment (sets `inside`); -1: more is needed. */
  #begin(buffer: Buffer, from: number, end: number, last: boolean): number {
    let at = from
    while (at < end && this.#isSpace(buffer[at])) at++
    if (at > from) return at
    if (!last && end - at < 16) return -1
    const byte = buffer[at]
    if (byte === 35 || (byte === 45 && this.#isDashes(buffer, at))) this.#inside = 35
    else if (byte === 47 && buffer[at + 1] === 42 && !this.#isVersioned(buffer, at))
      this.#inside = 42
    return at
  }

  /** Commands of the client stand on a line of their own; answers where the line ends. -1: more is needed. */
  #command(buffer: Buffer, at: number, end: number, last: boolean): number {
    const line = buffer.indexOf(10, at)
    if (line < 0 && !last && end - at < 1_024) return -1
    const text = buffer.toString('latin1', at, Math.min(line < 0 ? end : line, at + 1_024)).trim()
    const word = /^[a-z]+(?=[\s;]|$)/i.exec(text)?.[0].toLowerCase()
    if (text.startsWith('\\')) {
      this.#refuse(
        'The file holds a command for the client (a backslash outside of a text), which is not run here.',
        this.report.lines
      )
      return end
    }
    const isShort = word === 'use' && !text.includes(this.#delimiter.toString('latin1'))
    if ((word === 'delimiter' || isShort) && /\r[^\r\n]/.test(text)) {
      this.#refuse(this.#loneReturn, this.report.lines)
      return end
    }
    if (word === 'delimiter') {
      const wanted = text.slice(9).trim().split(/\s/)[0]
      // The client strips quotes from the delimiter, and a comment takes precedence over the delimiter.
      if (
        !wanted ||
        wanted.length > 16 ||
        !/^(?!--|#|\/\*)[!-~]+$/.test(wanted) ||
        /["'\\`]/.test(wanted)
      ) {
        this.#refuse('DELIMITER is not followed by a delimiter.', this.report.lines)
        return end
      }
      if (!this.#beginsLine(buffer, at)) {
        this.#refuse('DELIMITER is not at the beginning of its line.', this.report.lines)
        return end
      }
      this.#setDelimiter(wanted)
      return line < 0 ? end : line
    }
    if (isShort) {
      this.#databases.add(this.#nameOf(text.split(/\s+/)[1]))
      this.#note('USE', this.#oneDatabase)
      this.#leftOut = true
      return line < 0 ? end : line
    }
    const commands = [
      'source',
      'system',
      'tee',
      'notee',
      'pager',
      'nopager',
      'edit',
      'connect',
      'sandbox',
      'charset',
      'exit',
      'quit',
      'go',
      'ego',
      'clear',
      'print',
      'prompt',
      'status',
      'rehash',
      'warnings',
      'nowarning',
      'resetconnection',
    ]
    if (word && commands.includes(word)) {
      this.#refuse(
        `The file holds the client's command ${word}, which is not run here.`,
        this.report.lines
      )
      return end
    }
    return at
  }

  /** What a statement is, from its first word; null: more is needed. */
  #kind(buffer: Buffer, at: number, end: number, last: boolean): 'pass' | 'hold' | null {
    if (!last && end - at < 16) return null
    return /^(?:insert|replace)\s/i.test(buffer.toString('latin1', at, at + 16)) ? 'pass' : 'hold'
  }

  #finish(buffer: Buffer, start: number, end: number, out: Buffer[]): void {
    this.#statementBytes += end - start
    this.#assertLength()
    if (this.#state === 'pass') this.#countLines(buffer, start, end, out)
    else {
      const text = buffer.toString('latin1', start, end)
      const kept = this.#rewrite(text)
      for (let line = text.indexOf('\n'); line >= 0; line = text.indexOf('\n', line + 1))
        this.report.lines++
      if (kept === text) out.push(buffer.subarray(start, end))
      else if (kept !== null) out.push(Buffer.from(kept, 'latin1'))
      // At the end of the file no text follows that could be misread.
      if (text.endsWith(this.#delimiter.toString('latin1')))
        out.push(Buffer.from(this.#guard(), 'latin1'))
    }
    this.#ended()
  }

  #ended(): void {
    this.#state = 'begin'
    this.#looked = 0
    this.report.statements++
    if (this.#isChange) this.report.changes++
    this.#isChange = true
  }

  #assertLength(): void {
    const bytes = this.#statementBytes
    if (bytes > this.report.longest.bytes)
      this.report.longest = { bytes, line: this.#statementLine }
    if (bytes <= this.#maxPacket) return
    const most = Math.floor(this.#maxPacket / 1024 ** 2)
    this.#refuse(
      `A statement is longer than the ${most} MB that the server takes at once (max_allowed_packet). Export again with shorter ones (mariadb-dump --net-buffer-length=1M), or raise it.`,
      this.#statementLine
    )
  }

  #countLines(buffer: Buffer, start: number, end: number, out: Buffer[]): void {
    if (end <= start) return
    const part = buffer.subarray(start, end)
    for (let at = part.indexOf(10); at >= 0; at = part.indexOf(10, at + 1)) this.report.lines++
    out.push(part)
  }

  #lineAt(buffer: Buffer, start: number, at: number): number {
    return this.report.lines + buffer.toString('latin1', start, at).split('\n').length - 1
  }

  #setDelimiter(text: string): void {
    this.#delimiter = Buffer.from(text, 'latin1')
    this.#stops.fill(0)
    for (const letter of `'"\`#-/\\\0`) this.#stops[letter.charCodeAt(0)] = 1
    this.#stops[this.#delimiter[0]] = 1
  }

  #isDelimiter(buffer: Buffer, at: number): boolean {
    const wanted = this.#delimiter
    for (let each = 0; each < wanted.length; each++) {
      if (buffer[at + each] !== wanted[each]) return false
    }
    return true
  }

  #isDashes(buffer: Buffer, at: number): boolean {
    return buffer[at + 1] === 45 && (at + 2 >= buffer.length || this.#isSpace(buffer[at + 2]))
  }

  /** Whether the client treats the byte as white space. */
  #isSpace(byte: number): boolean {
    return byte === 32 || (byte >= 9 && byte <= 13)
  }

  #beginsLine(buffer: Buffer, at: number): boolean {
    let before = at - 1
    while (before >= 0 && buffer[before] !== 10 && this.#isSpace(buffer[before])) before--
    return (before < 0 ? this.#before : buffer[before]) === 10
  }

  #refuseZero(line: number): void {
    this.#refuse(
      'The file holds a zero byte outside of a text. It is damaged, or written in UTF-16: save it as UTF-8 and try again.',
      line
    )
  }

  #isVersioned(buffer: Buffer, at: number): boolean {
    return buffer[at + 2] === 33 || (buffer[at + 2] === 77 && buffer[at + 3] === 33)
  }

  #refuse(words: string, line: number): void {
    this.report.refusal ??= { words, line }
  }

  #note(what: string, why?: string): void {
    const { findings } = this.report
    const known = findings.find((each) => each.what === what && each.why === why)
    if (known) known.count++
    else if (findings.length < 100)
      findings.push({ what, why, count: 1, line: this.#statementLine })
    else this.report.unlisted++
  }

  /**
   * Returns the position of the word that names the kind of object in `CREATE OR REPLACE DEFINER = x VIEW v`.
   * Skips only words that the grammar allows before it: after it, `user` is an ordinary name.
   */
  #objectAt(words: string[]): number {
    const options = new Set([
      'TEMPORARY',
      'UNIQUE',
      'FULLTEXT',
      'SPATIAL',
      'VECTOR',
      'AGGREGATE',
      'ONLINE',
      'OFFLINE',
      'IGNORE',
      'UNDO',
    ])
    let at = 1
    for (;;) {
      if (words[at] === 'DEFINER' && words[at + 1] === '=') at = this.#afterUser(words, at + 2)
      else if (words[at] === 'ALGORITHM' && words[at + 1] === '=') at += 3
      else if (words[at] === 'SQL' && words[at + 1] === 'SECURITY') at += 3
      else if (words[at] === 'OR' && words[at + 1] === 'REPLACE') at += 2
      else if (options.has(words[at])) at++
      else return at
    }
  }

  /** The statement as it may run; its line ends alone where it is left out. */
  #rewrite(text: string): string {
    const tokens = this.#tokens(text)
    // What has a meaning: neither white space nor comments, nor the marks of comments by version.
    const solid: number[] = []
    tokens.forEach((token, at) => {
      if (!/^(?:\s|--|#|\/\*|\*\/$)/.test(token)) solid.push(at)
    })
    const word = (at: number) => (solid[at] === undefined ? '' : tokens[solid[at]].toUpperCase())
    const words = solid.map((_, at) => word(at))
    const without = (what: string, why: string) => {
      this.#note(what, why)
      this.#isChange = false
      return '\n'.repeat(text.split('\n').length - 1)
    }
    const refuse = (words: string) => {
      this.#refuse(words, this.#statementLine)
      return ''
    }
    const [first, second] = words
    const has = (...wanted: string[]) =>
      words.some((_, at) => wanted.every((each, offset) => words[at + offset] === each))
    const isDefinition = ['CREATE', 'ALTER', 'DROP', 'RENAME'].includes(first)
    const objectAt = isDefinition ? this.#objectAt(words) : -1
    const object = words[objectAt] ?? ''
    const isDatabase = object === 'DATABASE' || object === 'SCHEMA'
    const isIdle = this.#idle.has(first) && !(first === 'BEGIN' && second === 'NOT')
    this.#isChange = /^[A-Z]/.test(first ?? '') && !isIdle && !(first === 'ALTER' && isDatabase)

    if (first === 'LOAD')
      return refuse(`The file holds LOAD ${second}, which reads files of the server.`)
    if (has('INTO', 'OUTFILE') || has('INTO', 'DUMPFILE')) {
      return refuse('The file holds SELECT … INTO OUTFILE, which writes files of the server.')
    }
    const loadsLibrary = words.some((each, at) => each === 'SONAME' && words[at - 2] === 'RETURNS')
    if (first === 'CREATE' && object === 'FUNCTION' && loadsLibrary) {
      return refuse('The file loads a library into the server (CREATE FUNCTION … SONAME).')
    }
    if (
      ['INSTALL', 'UNINSTALL', 'SHUTDOWN', 'KILL', 'CHANGE', 'RESET', 'PURGE', 'BINLOG'].includes(
        first
      )
    ) {
      return refuse(`The file holds ${first}, which is about the whole server.`)
    }
    if (first === 'USE') {
      this.#databases.add(this.#nameOf(tokens[solid[1]]))
      return without('USE', this.#oneDatabase)
    }
    if (first === 'CREATE' && isDatabase) {
      const at = objectAt + 1
      const name = words.slice(at, at + 3).join(' ') === 'IF NOT EXISTS' ? at + 3 : at
      this.#databases.add(this.#nameOf(tokens[solid[name]]))
      return without('CREATE DATABASE', this.#oneDatabase)
    }
    if (first === 'DROP' && isDatabase) return without('DROP DATABASE', this.#oneDatabase)
    if (first === 'GRANT' || first === 'REVOKE') return without(first, this.#usersOnPage)
    if (object === 'USER' || object === 'ROLE')
      return without(`${first} ${object}`, this.#usersOnPage)
    if (['SERVER', 'TABLESPACE', 'LOGFILE', 'RESOURCE'].includes(object))
      return without(`${first} ${object}`, this.#wholeServer)
    if (first === 'FLUSH') return without('FLUSH', this.#wholeServer)
    if ((first === 'LOCK' || first === 'UNLOCK') && /^TABLES?$/.test(second ?? '')) {
      return without('LOCK TABLES', 'The new copy has no other users.')
    }
    const change = first === 'SET' ? this.#readSettings(words) : null
    if (change) return refuse(change)
    if (first && !this.#inert.has(first)) this.#unsureMode = this.#unsureCharset = true
    if (first === 'SET') {
      // A string literal is a value, whatever it contains.
      const about = words.filter((each) => !/^['"]/.test(each)).join(' ')
      if (/SQL_LOG_BIN\b/.test(about)) return without('SET SQL_LOG_BIN', this.#wholeServer)
      if (/GTID_PURGED|GTID_SLAVE_POS/.test(about))
        return without('SET GTID_PURGED', this.#wholeServer)
      if (second === 'PASSWORD' || second === 'ROLE')
        return without(`SET ${second}`, this.#usersOnPage)
      if (second === 'DEFAULT' && words[2] === 'ROLE')
        return without('SET DEFAULT ROLE', this.#usersOnPage)
      if (/(?:^| )GLOBAL [@A-Z]|@@GLOBAL\.[^ ]* :?=|(?:^| )PERSIST /.test(about))
        return without('SET GLOBAL', this.#wholeServer)
    }
    const changes = first === 'CREATE' || first === 'ALTER'
    if (changes) {
      const definer = words.indexOf('DEFINER')
      if (definer > 0 && definer < objectAt && words[definer + 1] === '=') {
        this.#note('DEFINER: what it named becomes the database’s own')
        this.#blank(tokens, solid, definer, this.#afterUser(words, definer + 2))
      }
      if (first === 'ALTER' && isDatabase) {
        this.#note(
          'ALTER DATABASE: it applies during this import only; the database keeps its own settings'
        )
        if (!/^(?:CHARACTER|CHARSET|DEFAULT|COLLATE)$/.test(words[2] ?? ''))
          this.#blank(tokens, solid, 2, 3)
      }
      for (let at = 0; at < words.length - 1; at++) {
        if ((words[at] !== 'DATA' && words[at] !== 'INDEX') || words[at + 1] !== 'DIRECTORY')
          continue
        const value = words[at + 2] === '=' ? at + 3 : at + 2
        // A column or an index may have this name. Only the option is followed by a path.
        if (!/^['"]/.test(words[value] ?? '')) continue
        this.#blank(tokens, solid, at, words[value + 1] === ',' ? value + 2 : value + 1)
        this.#note('DATA DIRECTORY: removed; the server decides where it stores files')
      }
    }
    if (changes || first === 'SET') this.#replaceCollations(tokens, solid, words)
    return tokens.join('')
  }

  /**
   * Tracks settings that change how string literals are parsed, and detects values that are not literal.
   * Returns why the statement is rejected, null if it is not.
   */
  #readSettings(words: string[]): string | null {
    const forOne = words[1] === 'STATEMENT'
    if (forOne) this.#unsureMode = this.#unsureCharset = true
    for (let at = 1; at < words.length; at++) {
      const name = words[at].replace(/^@@(?:(?:SESSION|LOCAL)\.)?/, '').replaceAll('`', '')
      let value = at + 1
      if (name === 'CHARACTER' && words[value] === 'SET') value++
      else if (name !== 'NAMES' && name !== 'CHARSET') {
        if (name !== 'SQL_MODE' && name !== 'CHARACTER_SET_CLIENT') continue
        if (words[value] === ':') value++
        if (words[value] !== '=') continue
        value++
      }
      const next = words[value + 1]
      const isAlone =
        !next ||
        next === ',' ||
        next === 'COLLATE' ||
        next === 'FOR' ||
        this.#delimiter.includes(next)
      const [, text] = /^['"`]?(\w[\w, ]*|)['"`]?$/.exec(words[value] ?? '') ?? []
      const isClear = isAlone && text !== undefined && !/^(?:\d|DEFAULT$)/.test(text)
      if (isClear && name === 'SQL_MODE' && text.includes('NO_BACKSLASH_ESCAPES')) {
        return 'The file sets the sql_mode NO_BACKSLASH_ESCAPES, under which texts cannot be read safely. Export it again without this mode.'
      }
      if (forOne) continue
      // A mode that was on may stay on: to this server the statement may be a comment (`/*!99999 …*/`).
      if (name === 'SQL_MODE') {
        const was = this.#ansi
        this.#ansi = isClear && /ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL/.test(text)
        if (!isClear || (was && !this.#ansi)) this.#unsureMode = true
      } else {
        const was = this.#multibyte
        this.#multibyte = isClear && /^(?:BIG5|CP932|GB18030|GBK|SJIS)$/.test(text)
        if (!isClear || (was && !this.#multibyte)) this.#unsureCharset = true
      }
    }
    return null
  }

  /**
   * Returns a statement that resets the settings under which the server would parse string literals
   * differently from this filter and the client. It goes on the same line, after a statement that may have
   * changed one. Empty if none did.
   */
  #guard(): string {
    const takesBack: string[] = []
    if (this.#unsureMode) {
      const more = this.#ansi ? '' : '|ANSI_QUOTES|ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL'
      takesBack.push(
        `SESSION sql_mode = REGEXP_REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES${more}', '')`
      )
    }
    if (this.#unsureCharset && !this.#multibyte) {
      takesBack.push(
        `SESSION character_set_client = IF(@@SESSION.character_set_client IN ('big5', 'cp932', 'gb18030', 'gbk', 'sjis'), 'utf8mb4', @@SESSION.character_set_client)`
      )
    }
    this.#unsureMode = this.#unsureCharset = false
    return takesBack.length
      ? `SET ${takesBack.join(', ')}${this.#delimiter.toString('latin1')}`
      : ''
  }

  #blank(tokens: string[], solid: number[], from: number, to: number): void {
    for (const at of solid.slice(from, to)) tokens[at] = tokens[at].replace(/[^\n]+/g, '')
  }

  /** Where a user's name ends: `root`@`localhost`, 'root'@'%', CURRENT_USER(). */
  #afterUser(words: string[], from: number): number {
    let at = from + 1
    if (words[at] === '(' && words[at + 1] === ')') at += 2
    if (words[at] === '@') at += 2
    else if (words[at]?.startsWith('@')) at += 1
    return at
  }

  #replaceCollations(tokens: string[], solid: number[], words: string[]): void {
    const known = this.#collations
    if (!known) return
    for (let at = 1; at < words.length; at++) {
      const before = words[at - 1] === '=' ? words[at - 2] : words[at - 1]
      if (before !== 'COLLATE' && !/COLLATION_(?:CONNECTION|SERVER|DATABASE)$/.test(before ?? ''))
        continue
      const name = tokens[solid[at]].replace(/^['"`]|['"`]$/g, '')
      if (!/^[a-z0-9]+_[a-z0-9_]+$/i.test(name) || known.has(name.toLowerCase())) continue
      const charset = name.toLowerCase().split('_')[0]
      const exact = /_(?:cs|bin)$/i.test(name)
      const choices = exact ? ['_bin'] : ['_unicode_ci', '_general_ci', '_bin']
      const found = choices.map((each) => charset + each).find((each) => known.has(each))
      if (!found) continue
      tokens[solid[at]] = tokens[solid[at]].replace(name, found)
      this.#note(`Collation ${name}, which this server does not know: ${found} instead`)
    }
  }

  #nameOf(token: string | undefined): string {
    return (token ?? '')
      .replace(/^[`"]|[`"]$/g, '')
      .replaceAll('``', '`')
      .slice(0, 64)
  }

  #tokens(text: string): string[] {
    const pattern =
      /\s+|--(?=\s|$)[^\n]*|#[^\n]*|\/\*M?!\d*|\*\/|\/\*[^]*?\*\/|`[^`]*`|@?@?[\w$.\x80-\xff]+|[^]/y
    const tokens: string[] = []
    let at = 0
    while (at < text.length) {
      const code = text.charCodeAt(at)
      let end = 0
      // A regular expression overflows the stack in a text of some megabytes.
      if (code === 39 || code === 34) {
        end = at + 1
        while (end < text.length && text.charCodeAt(end) !== code)
          end += text.charCodeAt(end) === 92 ? 2 : 1
        end = Math.min(end + 1, text.length)
      } else {
        pattern.lastIndex = at
        pattern.test(text)
        end = pattern.lastIndex
      }
      tokens.push(text.slice(at, end))
      at = end
    }
    return tokens
  }
}
