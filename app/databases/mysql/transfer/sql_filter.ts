import type { DatabaseNames, TextEdit } from '#databases/mysql/transfer/database_names'

export interface FilterFinding {
  /** A removed statement, such as `CREATE USER`, or a sentence about what the filter did. */
  what: string
  /** Why the statement was removed. Absent for other findings. */
  why?: string
  count: number
  /** Line of the first occurrence in the dump. */
  line: number
}

export interface FilterReport {
  findings: FilterFinding[]
  /** Number of occurrences that are not counted in `findings`, because it has at most 100 entries. */
  unlisted: number
  rejection: { words: string; line: number } | null
  longest: { bytes: number; line: number }
  statements: number
  changes: number
  /** The dump has the first and last line of mariadb-dump and mysqldump. */
  dumpHead: boolean
  dumpEnd: boolean
  lines: number
}

export interface FilterOptions {
  /** Collations that the server supports, in lower case. Default: all. */
  collations?: string[]
  /** Maximum bytes of a statement (`max_allowed_packet`). Default unlimited. */
  maxPacket?: number
  /** Whether to accept a dump without its last line, “Dump completed”. */
  acceptsMissingEnd?: boolean
  /**
   * Whether the filter commits groups of statements, in a session with autocommit off. A commit for each row would
   * take most of the import's time.
   */
  groupsCommits?: boolean
}

/** Tokens of a statement, in upper case. */
interface Words {
  length: number
  /** Returns a token. Empty after the last one. */
  at(index: number): string
  /** Offset of the token's first character. */
  from(index: number): number
  to(index: number): number
}

/** Result of `#tokenize`. The offsets of the tokens are in `#starts` and `#ends`. */
interface Tokens {
  count: number
  /** Versioned comments that only some servers execute, with the indexes of their tokens. */
  optional: { isMaria: boolean; version: number; first: number; end: number }[]
  /** Comments inside versioned comments. With them, server and client disagree on where the versioned comment ends. */
  inner: { from: number; to: number }[]
  /** Whether the client would find the end of a versioned comment at another position. */
  isBroken: boolean
}

/**
 * Filters a MySQL or MariaDB dump as a stream. Splits it into statements as the mariadb client does. Removes or
 * rewrites statements that the import account may not run or the server lacks. The number of lines stays the same,
 * so that line numbers in errors are right. INSERT and REPLACE with values are streamed: only a database name before
 * the table is removed. Other statements are buffered and tokenized.
 * A versioned comment is one that only some server versions execute: `/*!50100 …`.
 * The filter makes dumps importable. It is not the security boundary: the rights of the import account are. The
 * class must not refer to anything outside itself, because this file also runs on the server's machine (see
 * `run_dump_import.ts`).
 */
export class SqlFilter {
  readonly report: FilterReport = {
    findings: [],
    unlisted: 0,
    rejection: null,
    longest: { bytes: 0, line: 0 },
    statements: 0,
    changes: 0,
    dumpHead: false,
    dumpEnd: false,
    lines: 1,
  }
  /** Limit for statements that the filter buffers completely. INSERT and REPLACE with values are not buffered. */
  readonly #maxStatementBytes = 16 * 1024 * 1024
  readonly #oneDatabase =
    'All data is imported into this database, which keeps its own character set.'
  readonly #loneReturn =
    'Lines of the file end with only a carriage return (CR), as on old Macs. The server would treat the following lines as part of this line. Save the file with line feeds (LF or CR LF) and import it again.'
  readonly #usersOnPage = 'Manage users and their rights on the page of the database.'
  readonly #wholeServer = 'These statements affect the whole server.'
  readonly #otherServer = 'Only MySQL has these settings.'
  /** Session settings in dumps of MySQL that MariaDB lacks. */
  readonly #mysqlSettings =
    /^(?:@@(?:SESSION|LOCAL)\.)?(?:SQL_REQUIRE_PRIMARY_KEY|SQL_GENERATE_INVISIBLE_PRIMARY_KEY|DEFAULT_TABLE_ENCRYPTION|RESTRICT_FK_ON_NON_STANDARD_KEY|SHOW_CREATE_TABLE_SKIP_SECONDARY_ENGINE|USE_SECONDARY_ENGINE)$/
  readonly #stops = new Uint8Array(256)
  /**
   * First words of statements that change no data in the database. `BEGIN NOT ATOMIC` is an exception, because it
   * contains other statements.
   */
  readonly #idle = new Set(
    (
      'SET SELECT VALUES SHOW EXPLAIN DESCRIBE DESC HELP DO START BEGIN COMMIT ROLLBACK SAVEPOINT RELEASE XA ' +
      'ANALYZE CHECK CHECKSUM OPTIMIZE REPAIR PREPARE DEALLOCATE LOCK UNLOCK FLUSH USE LOAD CACHE'
    ).split(' ')
  )
  readonly #collations: Set<string> | null
  readonly #maxPacket: number
  readonly #names: DatabaseNames
  readonly #acceptsMissingEnd: boolean
  #delimiter = Buffer.from(';')
  #delimiterText = ';'
  #rest: Buffer = Buffer.alloc(0)
  /** The buffer that contains `#rest`. The next chunks are copied into its spare capacity. */
  #room: Buffer | null = null
  /**
   * State inside a string or comment: the byte of the open quote, 35 (`#`) in a line comment, 42 (`*`) in a
   * block comment. 0: outside.
   */
  #inside = 0
  /**
   * `begin`: between statements. `pass`: in an INSERT or REPLACE whose values are streamed. `hold`: in another
   * statement, which is buffered until it is complete.
   */
  #state: 'begin' | 'pass' | 'hold' = 'begin'
  #statementLine = 1
  #statementBytes = 0
  /** The held statement is a stored program. Null: not computed yet. */
  #isProgram: boolean | null = null
  #looked = 0
  #leftOut = false
  #isChange = true
  #first = true
  /**
   * Whether a statement may have set sql_mode to a value that the filter cannot determine. The next field says the
   * same of the character set.
   */
  #unsureMode = false
  #unsureCharset = false
  /** Whether sql_mode contains ANSI_QUOTES: then a backslash in double quotes escapes nothing. */
  #ansi = false
  /** Whether the second byte of a multibyte character can be a backslash or a backtick. */
  #multibyte = false
  #before = 10
  /** Whether only white space follows the last line feed before the current buffer. */
  #isLineStart = true
  /**
   * First words of statements that cannot change the session's sql_mode or character set. SET is tracked
   * separately.
   */
  readonly #inert = new Set(
    (
      'ALTER ANALYZE CACHE CHECK COMMIT CREATE DEALLOCATE DELETE DESCRIBE DO DROP EXPLAIN INSERT LOAD LOCK ' +
      'OPTIMIZE PREPARE RELEASE RENAME REPAIR REPLACE ROLLBACK SAVEPOINT SELECT SET SHOW START ' +
      'TRUNCATE UNLOCK UPDATE'
    ).split(' ')
  )
  /** Words that the grammar allows between CREATE and the object type. */
  readonly #options = new Set(
    'TEMPORARY UNIQUE FULLTEXT SPATIAL VECTOR AGGREGATE ONLINE OFFLINE IGNORE UNDO'.split(' ')
  )
  /**
   * First words of statements in which only database names are rewritten, unless the statement contains versioned
   * comments or writes files.
   */
  readonly #plain = new Set(
    'COMMIT DELETE DO EXPLAIN INSERT PREPARE REPLACE ROLLBACK SAVEPOINT SELECT SHOW TRUNCATE UPDATE'.split(
      ' '
    )
  )
  readonly #definitions = new Set(['CREATE', 'ALTER', 'DROP', 'RENAME'])
  readonly #serverObjects = new Set(['SERVER', 'TABLESPACE', 'LOGFILE', 'RESOURCE'])
  readonly #serverStatements = new Set(
    'INSTALL UNINSTALL SHUTDOWN KILL CHANGE RESET PURGE BINLOG'.split(' ')
  )
  readonly #blocks = new Set(['BEGIN', 'IF', 'CASE', 'LOOP', 'REPEAT', 'WHILE', 'FOR'])
  /** Words with which SQL code starts. A carriage return without a line feed must not hide them in a comment. */
  readonly #code = new Set([
    ...this.#idle,
    ...this.#inert,
    ...this.#blocks,
    ...(
      'CALL GRANT REVOKE EXECUTE HANDLER SIGNAL RESIGNAL KILL INSTALL TABLE DELIMITER SOURCE SYSTEM DECLARE ' +
      'RETURN LEAVE ITERATE OPEN FETCH CLOSE END ELSE ELSEIF WHEN THEN UNTIL INTO FROM WHERE AND OR JOIN'
    ).split(' '),
  ])
  /** Named commands of the mariadb client. The client runs none of them, because it is in binary mode. */
  readonly #commands = new Set(
    (
      'source system tee notee pager nopager edit connect sandbox charset exit quit go ego clear print prompt ' +
      'status rehash warnings nowarning resetconnection'
    ).split(' ')
  )
  /** Class of each byte outside strings: 1 white space, 2 part of a word, 0 other. */
  readonly #classes = new Uint8Array(256)
  readonly #letters: string[] = []
  /** Offsets of the tokens. The arrays are reused for all statements. */
  #starts = new Uint32Array(1_024)
  #ends = new Uint32Array(1_024)
  #text = ''
  #tokens: Tokens | null = null
  #count = 0
  /** Whether the current statement continues a packet that the statement before it began. */
  #inPacket = false
  /** Number of bytes that are searched for the end of a versioned comment that a server may skip. */
  readonly #maxSkippedBytes = 1024 * 1024
  readonly #unclearText =
    'A string in double quotes contains a backslash, which is ambiguous under the sql_mode ANSI_QUOTES that the file sets. Export the database again without ANSI_QUOTES.'
  readonly #differs =
    'A comment that only some server versions execute changes the meaning of the statement around it. Export the database again for MariaDB.'
  readonly #nested =
    'A comment contains the start of another comment, so the server and its client would read the file differently. Remove one of the comments and import the file again.'

  readonly #groupsCommits: boolean
  readonly #maxUncommittedStatements = 1_000
  readonly #maxUncommittedBytes = 32 * 1024 * 1024
  #uncommitted = { statements: 0, bytes: 0 }
  #commitsItself = false
  #inTransaction = false
  #isOpen = false
  /** Whether the current statement needs autocommit: it may roll back earlier ones, or fails in a transaction. */
  #needsAutocommit = false

  constructor(
    names: DatabaseNames,
    { collations, maxPacket, acceptsMissingEnd, groupsCommits }: FilterOptions = {}
  ) {
    this.#names = names
    this.#acceptsMissingEnd = acceptsMissingEnd ?? false
    this.#groupsCommits = groupsCommits ?? false
    for (let byte = 0; byte < 256; byte++) {
      const character = String.fromCharCode(byte)
      this.#letters.push(byte < 128 ? character.toUpperCase() : character)
      this.#classes[byte] = this.#isSpace(byte) ? 1 : byte > 127 || /[\w$.]/.test(character) ? 2 : 0
    }
    this.#collations = collations?.length ? new Set(collations) : null
    this.#maxPacket = maxPacket || Infinity
    this.#setDelimiter(';')
  }

  /** Filters the next chunk. Returns the output for the server, which is empty after a rejection. */
  push(chunk: Buffer, last = false): Buffer[] {
    const out: Buffer[] = []
    if (this.report.rejection) return out
    let buffer = this.#joined(chunk)
    if (this.#first) {
      if (buffer.length < 4_096 && !last) return ((this.#rest = buffer), out)
      this.#first = false
      buffer = this.#head(buffer)
      this.#room = null
    }
    const used = this.#scan(buffer, out, last)
    this.#rest = buffer.subarray(used)
    // Spare capacity is only needed while a statement spans several chunks.
    if (used > 0) this.#room = null
    if (used > 0) {
      this.#before = buffer[used - 1]
      let at = used - 1
      while (at >= 0 && buffer[at] !== 10 && this.#isSpace(buffer[at])) at--
      if (at >= 0) this.#isLineStart = buffer[at] === 10
    }
    return this.report.rejection ? [] : out
  }

  /**
   * Returns the unconsumed bytes followed by this chunk. Reserves capacity, so that a long remainder is not
   * copied for every chunk.
   */
  #joined(chunk: Buffer): Buffer {
    const rest = this.#rest
    if (rest.length === 0) return chunk
    const length = rest.length + chunk.length
    if (rest.length < 2 * chunk.length && !this.#room) return Buffer.concat([rest, chunk])
    const room = this.#room
    // Output that was returned earlier may share this memory, so only the bytes after it are written.
    if (room && room.length >= length && room.buffer === rest.buffer) {
      chunk.copy(room, rest.length)
      this.#room = room
      return room.subarray(0, length)
    }
    this.#room = Buffer.allocUnsafeSlow(2 * length)
    rest.copy(this.#room)
    chunk.copy(this.#room, rest.length)
    return this.#room.subarray(0, length)
  }

  end(): Buffer[] {
    const out = this.push(Buffer.alloc(0), true)
    const { report } = this
    if (this.#state !== 'begin' || this.#inside) {
      this.#reject(
        'The file is incomplete: it ends in the middle of a statement.',
        this.#statementLine
      )
    } else if (report.dumpHead && !report.dumpEnd && !this.#acceptsMissingEnd) {
      this.#reject(
        'The file is incomplete: the last line “Dump completed” is missing. If the rest is there, choose “Accept a dump without the line ‘Dump completed’”.',
        report.lines
      )
    } else {
      const several = this.#names.rejectSeveral()
      if (several) this.#reject(several, 1)
    }
    if (this.#groupsCommits) {
      // A comment at the end of the file may have no line feed.
      const delimiter = this.#delimiterText
      const ending = this.#isOpen || this.#inPacket ? `\n${delimiter}` : ''
      out.push(Buffer.from(`${ending}\nCOMMIT${delimiter}\n`))
    }
    return report.rejection ? [] : out
  }

  /**
   * Handles the start of the dump: byte order mark, messages of the dump program, header, and the comment that
   * enables the client's sandbox mode.
   */
  #head(buffer: Buffer): Buffer {
    while (buffer[0] === 0xef && buffer[1] === 0xbb && buffer[2] === 0xbf)
      buffer = buffer.subarray(3)
    let text = buffer.toString('latin1', 0, 4_096)
    let lines = 0
    // `mysqldump 2>&1` writes warnings into the file. They differ from an SQL label (`name:`), which is always
    // followed by a block.
    const message =
      /^(?:-?[a-z/][\w./\\-]*:(?!\s*(?:BEGIN|LOOP|REPEAT|WHILE|FOR)\b)|Enter password:|\[Warning\])[^\n]*(?:\n|$)/i
    for (let line = message.exec(text)?.[0]; line; line = message.exec(text)?.[0]) {
      this.#statementLine = ++lines
      const shown = buffer.toString('utf8', 0, line.length).trim().slice(0, 160)
      this.#note(`Skipped a message of the program that made the dump: “${shown}”`)
      buffer = buffer.subarray(line.length)
      text = text.slice(line.length)
    }
    this.report.dumpHead = /^-- (?:MariaDB|MySQL) dump /m.test(text)
    this.#names.readHead(text)
    const sandbox = /^\s*\/\*M?!999999\\- [^\n]*\*\/\s*?(?=\r?\n|$)/.exec(text)
    // Replaces removed lines by empty ones, so that line numbers stay right.
    if (!sandbox && lines === 0) return buffer
    lines += (sandbox?.[0].split('\n').length ?? 1) - 1
    const rest = buffer.subarray(sandbox?.[0].length ?? 0)
    return Buffer.concat([Buffer.from('\n'.repeat(lines)), rest])
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
        if (this.report.rejection) return end
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
          // `#begin` has skipped the white space between the statements.
          at = next
          continue
        }
        if (this.#inside) {
          at += this.#inside === 42 ? 2 : 1
          continue
        }
        if (this.#isDelimiter(buffer, at)) {
          this.report.statements++
          this.#inPacket = false
          at += this.#delimiter.length
          continue
        }
        this.#countLines(buffer, start, at, out)
        start = at
        this.#statementLine = this.report.lines
        this.#statementBytes = 0
        const command = this.#inPacket ? at : this.#command(buffer, at, end, last)
        if (command < 0) break
        if (this.report.rejection) return end
        if (command > at) {
          this.#countLines(buffer, start, command, this.#leftOut ? [] : out)
          this.#leftOut = false
          start = at = command
          continue
        }
        const kind = this.#kind(buffer, at, end, last)
        if (!kind) break
        this.#state = kind.state
        if (kind.edits.length > 0) {
          const head = buffer.toString('latin1', at, at + kind.length)
          out.push(Buffer.from(this.#edited(head, kind.edits), 'latin1'))
          this.report.lines += this.#newlines(head)
          this.#statementBytes += kind.length
          start = at += kind.length
        }
        if (this.report.rejection) return end
      }
      while (at < end && stops[buffer[at]] === 0) at++
      if (at >= end) break
      if (end - at < ahead) break
      const byte = buffer[at]
      if (this.#isDelimiter(buffer, at)) {
        const after = at + this.#delimiter.length
        this.#finish(buffer, start, after, out)
        if (this.report.rejection) return end
        this.#inPacket = false
        start = at = after
      } else if (byte === 59) {
        at++
        // If the delimiter is not `;`, the client sends this and the next statement in one packet.
        if (this.#state !== 'pass') continue
        this.#finish(buffer, start, at, out)
        if (this.report.rejection) return end
        this.#inPacket = true
        start = at
      } else if (byte === 39 || byte === 34 || byte === 96) {
        if (byte === 96 && this.#isTrailing(buffer, at)) {
          this.#rejectMultibyte(this.#lineAt(buffer, start, at))
          return end
        }
        this.#inside = byte
        at++
      } else if (byte === 45 && buffer[at + 1] === 45 && this.#isHalfDashes(buffer[at + 2])) {
        this.#reject(
          'Two dashes are followed by a character that makes them a comment only in some programs. Put a space after the dashes.',
          this.#lineAt(buffer, start, at)
        )
        return end
      } else if (byte === 35 || (byte === 45 && this.#isDashes(buffer, at))) {
        this.#inside = 35
        at++
      } else if (byte === 47 && buffer[at + 1] === 42 && !this.#isVersioned(buffer, at)) {
        this.#inside = 42
        at += 2
      } else if (byte === 47 && buffer[at + 1] === 42) {
        const next = this.#versioned(buffer, at, end, last)
        if (next === -1) break
        if (next < 0) {
          this.#reject(this.#differs, this.#lineAt(buffer, start, at))
          return end
        }
        at = next
      } else if (byte === 0) {
        this.#rejectZero(this.#lineAt(buffer, start, at))
        return end
      } else if (byte === 92) {
        this.#reject(
          'The file contains a command of the mysql client (a backslash outside a string), which is not allowed here.',
          this.#lineAt(buffer, start, at)
        )
        return end
      } else at++
    }
    // The end of the file also ends a line comment.
    if (last && this.#inside === 35) this.#inside = 0
    if (this.#state === 'hold') {
      if (at - start > this.#maxStatementBytes) {
        this.#reject('A statement other than INSERT is longer than 16 MB.', this.#statementLine)
        return end
      }
      if (!last) return ((this.#looked = at - start), start)
      // The last statement of the file may have no delimiter.
      if (!this.#inside) this.#finish(buffer, start, end, out)
      return end
    }
    if (this.#state === 'pass') {
      this.#statementBytes += at - start
      this.#assertLength()
      this.#countLines(buffer, start, at, out)
      if (last && at >= end && !this.#inside) {
        this.#isOpen = true
        this.#ended()
      }
      return at
    }
    this.#countLines(buffer, start, at, out)
    return at
  }

  /**
   * Returns the position after the current string, quoted name or comment. If its end is not in the buffer: returns
   * `end` if the whole buffer is done, or `-1 - position` if the bytes from this position must be read again with the
   * next chunk.
   */
  #leave(buffer: Buffer, start: number, from: number, end: number, last: boolean): number {
    const inside = this.#inside
    let at = from
    if (inside === 35) {
      const line = buffer.indexOf(10, at)
      const until = line < 0 ? end : line
      let odd = at
      while (odd < until && buffer[odd] !== 0 && buffer[odd] !== 13) odd++
      if (odd < until && buffer.subarray(odd, until).includes(0)) {
        this.#rejectZero(this.#lineAt(buffer, start, at))
        return end
      }
      const open =
        odd < until ? this.#loneReturnAt(buffer, start, odd, until, line >= 0 || last) : -1
      if (open === -2) {
        this.#reject(this.#loneReturn, this.#lineAt(buffer, start, at))
        return end
      }
      // The next chunk may contain code after the carriage return. Lines below 200 bytes are kept until they are
      // complete.
      if (open >= 0) return -(end - at < 200 ? at : open) - 1
      if (
        this.#state === 'begin' &&
        buffer[at] === 45 &&
        until - at < 200 &&
        buffer.toString('latin1', at, until).includes('- Dump completed')
      ) {
        // The last line of a complete dump. It counts only if it has arrived completely.
        if (line >= 0 || last) this.report.dumpEnd = true
        else return -at - 1
      }
      if (line < 0) {
        if (last) return ((this.#inside = 0), end)
        return end - at < 200 ? -at - 1 : -until - 1
      }
      this.#inside = 0
      return line
    }
    if (inside === 42) {
      const close = buffer.indexOf('*/', at, 'latin1')
      const part = buffer.subarray(at, close < 0 ? end : close)
      const zero = part.indexOf(0)
      const nested = part.indexOf('/*!', 0, 'latin1')
      if (zero >= 0 && (nested < 0 || zero < nested)) {
        this.#rejectZero(this.#lineAt(buffer, start, at))
        return end
      }
      if (nested >= 0) {
        this.#reject(this.#nested, this.#lineAt(buffer, start, at + nested))
        return end
      }
      if (close < 0) return -Math.max(from, end - 2) - 1
      this.#inside = 0
      return close + 2
    }
    if (inside === 96) {
      const close = buffer.indexOf(96, at)
      if (close < 0) return end
      if (this.#isTrailing(buffer, close)) {
        this.#rejectMultibyte(this.#lineAt(buffer, start, close))
        return end
      }
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
        this.#reject(this.#unclearText, this.#lineAt(buffer, start, at))
        return end
      }
      if (this.#isTrailing(buffer, at)) {
        this.#rejectMultibyte(this.#lineAt(buffer, start, at))
        return end
      }
      at += 2
    }
  }

  /** Returns whether the byte can be the second byte of a multibyte character. */
  #isTrailing(buffer: Buffer, at: number): boolean {
    return this.#multibyte && (at > 0 ? buffer[at - 1] : this.#before) > 127
  }

  #rejectMultibyte(line: number): void {
    this.#reject(
      'The file sets a character set in which a backslash can be part of a letter (such as gbk or sjis). Export the database again as utf8mb4.',
      line
    )
  }

  /**
   * Searches a line comment for SQL code after a carriage return without line feed, which the server would ignore.
   * Returns -2 if there is such code, -1 if not. If more bytes are needed, returns the position of the carriage
   * return.
   */
  #loneReturnAt(
    buffer: Buffer,
    start: number,
    from: number,
    until: number,
    isWhole: boolean
  ): number {
    let at = buffer.subarray(0, until).indexOf(13, from)
    while (at >= 0) {
      const next = buffer.subarray(0, until).indexOf(13, at + 1)
      const limit = Math.min(until, at + 200)
      if (next < 0 && limit === until && !isWhole) return at
      const text = buffer
        .toString('latin1', at + 1, next < 0 ? limit : Math.min(next, limit))
        .trim()
      if (text && this.#isCode(buffer, start, text)) return -2
      at = next
    }
    return -1
  }

  #isCode(buffer: Buffer, start: number, text: string): boolean {
    // Another comment is harmless. The text after the next carriage return is checked separately.
    if (/^(?:--|#|\*(?!\/))/.test(text)) return false
    const [word] = /^[a-z]+/i.exec(text) ?? []
    if (/^(?:\/\*|\\)|;/.test(text) || (word && this.#code.has(word.toUpperCase()))) return true
    if (this.#state === 'begin') return false
    // In lists and expressions, a line can start with any word. In a stored program, a line starts with a
    // statement.
    if (this.#state === 'pass') return true
    if (this.#isProgram === null) {
      this.#tokenize(buffer.toString('latin1', start, Math.min(buffer.length, start + 2_000)))
      this.#isProgram = this.#isBlock(this.#words())
    }
    return !this.#isProgram
  }

  /**
   * Returns the position after white space. Without white space, returns the same position, and sets
   * `#inside` at a comment. Returns -1 if more bytes are needed.
   */
  #begin(buffer: Buffer, from: number, end: number, last: boolean): number {
    let at = from
    while (at < end && this.#isSpace(buffer[at])) at++
    if (at > from) return at
    if (!last && end - at < 16) return -1
    const byte = buffer[at]
    // At the start of a statement, the client treats any two dashes as a comment.
    const isComment = this.#inPacket ? this.#isDashes(buffer, at) : buffer[at + 1] === 45
    if (byte === 35 || (byte === 45 && isComment)) this.#inside = 35
    else if (byte === 47 && buffer[at + 1] === 42 && !this.#isVersioned(buffer, at))
      this.#inside = 42
    return at
  }

  /**
   * Handles a client command. Rejects all commands but `DELIMITER` and `USE`. Returns the end of its line, `at` if
   * there is no command, or -1 if more bytes are needed.
   */
  #command(buffer: Buffer, at: number, end: number, last: boolean): number {
    let to = at
    while (to < end && to < at + 16 && (buffer[to] | 32) > 96 && (buffer[to] | 32) < 123) to++
    if (to === end && !last) return -1
    const name = to === at ? '' : buffer.toString('latin1', at, to).toLowerCase()
    const isName = name === 'delimiter' || name === 'use' || this.#commands.has(name)
    if (!isName && buffer[at] !== 92) return at
    const line = buffer.indexOf(10, at)
    if (line < 0 && !last && end - at < 1_024) return -1
    const text = buffer.toString('latin1', at, Math.min(line < 0 ? end : line, at + 1_024)).trim()
    const word = /^[a-z]+(?=[\s;]|$)/i.exec(text)?.[0].toLowerCase()
    if (text.startsWith('\\')) {
      this.#reject(
        'The file contains a command of the mysql client (a backslash outside a string), which is not allowed here.',
        this.report.lines
      )
      return end
    }
    const isShort = word === 'use' && !text.includes(this.#delimiterText)
    if ((word === 'delimiter' || isShort) && /\r[^\r\n]/.test(text)) {
      this.#reject(this.#loneReturn, this.report.lines)
      return end
    }
    if (word === 'delimiter') {
      const wanted = text.slice(9).trim().split(/\s/)[0]
      // The client removes quotes around the delimiter, and before that searches the line for comments.
      if (
        !wanted ||
        wanted.length > 16 ||
        !/^(?!--|#|\/\*)[!-~]+$/.test(wanted) ||
        /["'\\`]/.test(wanted)
      ) {
        this.#reject('DELIMITER must be followed by a delimiter.', this.report.lines)
        return end
      }
      if (!this.#isAtLineStart(buffer, at)) {
        this.#reject('DELIMITER must be at the beginning of its line.', this.report.lines)
        return end
      }
      this.#setDelimiter(wanted)
      return line < 0 ? end : line
    }
    if (isShort) {
      this.#names.add(text.split(/\s+/)[1])
      this.#note('USE', this.#oneDatabase)
      this.#leftOut = true
      return line < 0 ? end : line
    }
    if (word && this.#commands.has(word)) {
      this.#reject(
        `The file contains the mysql client command ${word}, which is not allowed here.`,
        this.report.lines
      )
      return end
    }
    return at
  }

  /**
   * Determines the kind of the next statement. Returns null if more bytes are needed. `edits` change the first
   * `length` bytes.
   */
  #kind(
    buffer: Buffer,
    at: number,
    end: number,
    last: boolean
  ): { state: 'pass' | 'hold'; edits: TextEdit[]; length: number } | null {
    const hold = { state: 'hold' as const, edits: [], length: 0 }
    if (!last && end - at < 16) return null
    const lowerCase = buffer[at] | 32
    if (lowerCase !== 105 && lowerCase !== 114) return hold
    if (!/^(?:insert|replace)\s/i.test(buffer.toString('latin1', at, at + 16))) return hold
    const head = this.#names.insertHead(buffer.subarray(at, end), last)
    if (head === 'more') return null
    this.#noteNames()
    return head === 'hold' ? hold : { state: 'pass', edits: head.edits, length: head.length }
  }

  #noteNames(): void {
    if (this.#names.problem) this.#reject(this.#names.problem, this.#statementLine)
    for (const note of this.#names.notes) this.#note(note)
  }

  #finish(buffer: Buffer, start: number, end: number, out: Buffer[]): void {
    this.#statementBytes += end - start
    this.#assertLength()
    if (this.#state === 'pass') this.#countLines(buffer, start, end, out)
    else {
      const text = buffer.toString('latin1', start, end)
      const rewritten = this.#rewrite(text)
      this.report.lines += this.#newlines(text)
      const isEnded = text.endsWith(this.#delimiterText)
      this.#isOpen = !isEnded && rewritten.trim() !== ''
      const autocommit = this.#needsAutocommit && rewritten.trim() !== ''
      this.#needsAutocommit = false
      if (autocommit)
        out.push(Buffer.from(`SET autocommit=1${this.#inPacket ? ';' : this.#delimiterText}`))
      if (rewritten === text) out.push(buffer.subarray(start, end))
      else out.push(Buffer.from(rewritten, 'latin1'))
      // Only a statement that ended with its delimiter has text after it. `#guard` makes the server parse that text
      // as this filter does.
      const guard = isEnded ? this.#guard() : ''
      if (guard) out.push(Buffer.from(guard, 'latin1'))
      if (autocommit && isEnded) out.push(Buffer.from(`SET autocommit=0${this.#delimiterText}`))
    }
    if (this.#isDelimiter(buffer, end - this.#delimiter.length)) this.#commitGroup(out)
    this.#ended()
  }

  /** Commits after a number of statements or bytes, unless the dump itself controls its transactions. */
  #commitGroup(out: Buffer[]): void {
    const { statements, bytes } = this.#uncommitted
    this.#uncommitted = { statements: statements + 1, bytes: bytes + this.#statementBytes }
    if (!this.#groupsCommits || this.#commitsItself || this.#inTransaction) return
    if (statements + 1 < this.#maxUncommittedStatements && bytes < this.#maxUncommittedBytes) return
    this.#uncommitted = { statements: 0, bytes: 0 }
    out.push(Buffer.from(`COMMIT${this.#delimiterText}`))
  }

  /** Tracks the dump's own transactions, so that a rollback does not undo earlier statements. */
  #readTransaction(text: string, words: Words): void {
    const first = words.at(0)
    const second = words.at(1)
    const isRollback = first === 'ROLLBACK' && second !== 'TO' && words.at(2) !== 'TO'
    if (first === 'START' || (first === 'BEGIN' && second !== 'NOT')) this.#inTransaction = true
    else if (first === 'SET' && /autocommit/i.test(text)) this.#commitsItself = true
    else if (!this.#inTransaction && !this.#commitsItself) {
      const isUnknown = first !== '' && !this.#inert.has(first)
      if (
        this.#groupsCommits &&
        (isUnknown || isRollback || (first === 'SET' && second === 'TRANSACTION'))
      )
        this.#needsAutocommit = true
    }
    if (first === 'COMMIT' || isRollback || this.#definitions.has(first) || first === 'TRUNCATE') {
      this.#inTransaction = false
      this.#uncommitted = { statements: 0, bytes: 0 }
    }
  }

  #ended(): void {
    this.#state = 'begin'
    this.#isProgram = null
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
    const maxMegabytes = Math.floor(this.#maxPacket / 1024 ** 2)
    this.#reject(
      `A statement is longer than the ${maxMegabytes} MB that the server accepts (max_allowed_packet). Export again with shorter statements (mariadb-dump --net-buffer-length=1M), or raise max_allowed_packet.`,
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
    this.#delimiterText = text
    this.#stops.fill(0)
    for (const character of `'"\`#-/\\\0`) this.#stops[character.charCodeAt(0)] = 1
    this.#stops[59] = 1
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

  /**
   * Returns whether two dashes before this byte may start a comment for the server but not for the client. Bytes above
   * 127 may, because this depends on the character set.
   */
  #isHalfDashes(byte: number | undefined): boolean {
    return byte !== undefined && byte > 0 && (byte < 32 || byte > 126) && !this.#isSpace(byte)
  }

  #isSpace(byte: number): boolean {
    return byte === 32 || (byte >= 9 && byte <= 13)
  }

  #isAtLineStart(buffer: Buffer, at: number): boolean {
    let before = at - 1
    while (before >= 0 && buffer[before] !== 10 && this.#isSpace(buffer[before])) before--
    return before < 0 ? this.#isLineStart : buffer[before] === 10
  }

  #rejectZero(line: number): void {
    this.#reject(
      'The file contains a zero byte outside a string. The file is damaged, or it is in UTF-16. Save it as UTF-8 and try again.',
      line
    )
  }

  #isVersioned(buffer: Buffer, at: number): boolean {
    return buffer[at + 2] === 33 || (buffer[at + 2] === 77 && buffer[at + 3] === 33)
  }

  #reject(message: string, line: number): void {
    this.report.rejection ??= { words: message, line }
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
   * Returns the index of the object type, such as VIEW in `CREATE OR REPLACE DEFINER = x VIEW v`. Skips
   * only words of the grammar, because `user` can also be a name.
   */
  #objectAt(words: Words): number {
    let at = 1
    for (;;) {
      const word = words.at(at)
      const next = words.at(at + 1)
      if (word === 'DEFINER' && next === '=') at = this.#afterUser(words, at + 2)
      else if (word === 'ALGORITHM' && next === '=') at += 3
      else if (word === 'SQL' && next === 'SECURITY') at += 3
      else if (word === 'OR' && next === 'REPLACE') at += 2
      else if (this.#options.has(word)) at++
      else return at
    }
  }

  /**
   * Returns the replacement for the text between two delimiters. If the delimiter is not `;`, the text can contain
   * several statements.
   */
  #rewrite(text: string): string {
    const delimiter = this.#delimiterText
    const closing = text.endsWith(delimiter) ? delimiter : ''
    const body = text.slice(0, text.length - closing.length)
    const parts = delimiter === ';' ? [{ text: body, end: '' }] : this.#divide(body)
    if (this.report.rejection) return ''
    const first = this.#statementLine
    let isChange = false
    let isSent = this.#inPacket
    let out = ''
    for (const [index, part] of parts.entries()) {
      const isLast = index === parts.length - 1
      if (index > 0) {
        // An earlier statement of this packet may have changed sql_mode, so its text is checked again under the new
        // mode.
        const trouble = this.#troubleIn(part.text)
        if (trouble) return (this.#reject(trouble, this.#statementLine), '')
      }
      const lead = /^\s*/.exec(part.text)![0]
      const lines = this.#newlines(part.text) + this.#newlines(part.end)
      this.#statementLine += this.#newlines(lead)
      const rewritten = this.#rewriteOne(part.text)
      this.#statementLine += lines - this.#newlines(lead)
      if (this.report.rejection) return ''
      isChange ||= this.#isChange
      if (rewritten === null) out += '\n'.repeat(lines)
      else {
        out += rewritten + part.end
        isSent = true
        if (!isLast) out += this.#guard(';')
      }
    }
    this.#statementLine = first
    this.#isChange = isChange
    return isSent ? out + closing : out
  }

  /** Splits a packet into statements, at the same semicolons as the server. */
  #divide(text: string): { text: string; end: string }[] {
    if (!text.includes(';')) return [{ text, end: '' }]
    this.#tokenize(text)
    const all = this.#words()
    const parts: { text: string; end: string }[] = []
    let begin = 0
    let at = 0
    while (at < all.length) {
      const words = this.#words(at)
      const end = this.#statementEnd(words)
      if (end < 0) {
        // The server may see the statement's end at an earlier semicolon. From here, both settings are uncertain:
        // only strings without a backslash are the same in every sql_mode.
        this.#unsureMode = this.#unsureCharset = true
        if (this.#maySetMode(words) && /\\|[\x80-\xff]`|no_backslash_escapes/i.test(text)) {
          this.#reject(
            'The end of the stored program that begins here is not clear. Put a DELIMITER line before and after each stored program.',
            this.#statementLine + this.#newlines(text.slice(0, words.from(0)))
          )
        }
        break
      }
      at += end + 1
      if (at >= all.length && end < words.length) {
        parts.push({ text: text.slice(begin, words.from(end)), end: text.slice(words.from(end)) })
        return parts
      }
      if (at >= all.length) break
      parts.push({ text: text.slice(begin, words.from(end)), end: ';' })
      begin = words.to(end)
    }
    parts.push({ text: text.slice(begin), end: '' })
    return parts
  }

  #isBlock(words: Words): boolean {
    const first = words.at(0)
    if (first === 'BEGIN') return words.at(1) === 'NOT'
    if (this.#blocks.has(first) || first === 'DECLARE') return true
    if (words.at(1) === ':' && words.at(2) !== '=') return true
    if (first !== 'CREATE' && first !== 'ALTER') return false
    return ['PROCEDURE', 'FUNCTION', 'TRIGGER', 'EVENT', 'PACKAGE'].includes(
      words.at(this.#objectAt(words))
    )
  }

  /**
   * Returns the index of the semicolon that ends the statement. If there is none, returns the number of tokens.
   * Returns -1 if the end is unclear.
   */
  #statementEnd(words: Words): number {
    if (!this.#isBlock(words)) {
      for (let at = 0; at < words.length; at++) if (words.at(at) === ';') return at
      return words.length
    }
    const stack: { word: string; depth: number }[] = []
    let depth = 0
    let isStart = true
    for (let at = this.#bodyAt(words); at < words.length; at++) {
      if (at < 0) return -1
      const word = words.at(at)
      const top = stack.at(-1)
      if (word === ';') {
        if (depth > 0 || top?.word === 'case') return -1
        if (!top) return at
        isStart = true
      } else if (isStart) {
        isStart = false
        const next = words.at(at + 1)
        if (next === ':' && words.at(at + 2) !== '=') {
          isStart = true
          at++
        } else if (this.#blocks.has(word)) {
          stack.push({ word, depth })
          isStart = word === 'BEGIN' || word === 'LOOP' || word === 'REPEAT'
          if (word === 'BEGIN' && next === 'NOT') at += 2
        } else if (word === 'ELSE') isStart = true
        else if (word === 'DECLARE' && words.at(at + 2) === 'HANDLER') {
          at = this.#endOfConditions(words, at + 4)
          isStart = true
        } else if (word === 'END') {
          stack.pop()
          if (!top || (top.word !== 'BEGIN' && top.word !== next)) return -1
          if (top.word !== 'BEGIN') at++
        }
      } else if (word === '(') depth++
      else if (word === ')') depth--
      else if (word === 'CASE') stack.push({ word: 'case', depth })
      else if (word === 'END') {
        if (top?.depth !== depth) return -1
        if (top.word !== 'case' && top.word !== words.at(at + 1)) return -1
        if (top.word !== 'case') at++
        stack.pop()
      } else if (word === 'THEN' || word === 'DO') {
        const owners = word === 'DO' ? ['WHILE', 'FOR'] : ['IF', 'CASE']
        isStart = depth === 0 && !!top && owners.includes(top.word)
      } else if (word === 'BEGIN') return -1
    }
    return stack.length > 0 ? -1 : words.length
  }

  /** Returns the index of the first token in a stored program's body. Returns -1 if it is unclear. */
  #bodyAt(words: Words): number {
    const first = words.at(0)
    if (first !== 'CREATE' && first !== 'ALTER') return 0
    const objectAt = this.#objectAt(words)
    const kind = words.at(objectAt)
    let at = objectAt + 2
    if (kind === 'TRIGGER' || kind === 'EVENT') {
      for (let depth = 0; at < words.length; at++) {
        const word = words.at(at)
        if (word === '(') depth++
        else if (word === ')') depth--
        else if (word === ';') return at
        else if (depth === 0 && word === 'DO' && kind === 'EVENT') return at + 1
        else if (word === 'ROW' && words.at(at - 1) === 'EACH') {
          return /^(?:FOLLOWS|PRECEDES)$/.test(words.at(at + 1)) ? at + 3 : at + 1
        }
      }
      return at
    }
    while (at < words.length && words.at(at) !== '(' && words.at(at) !== ';') at++
    if (kind === 'PACKAGE' || words.at(at) !== '(') return first === 'CREATE' ? -1 : at
    for (let depth = 0; at < words.length; at++) {
      if (words.at(at) === '(') depth++
      else if (words.at(at) === ')' && --depth === 0) break
    }
    for (at++; at < words.length; at++) {
      const word = words.at(at)
      if (word === 'SET') {
        if (words.at(at + 1) !== '(' && !/^CHAR/.test(words.at(at - 1))) return at
      } else if (word === 'IS' || word === 'AS') return -1
      else if (word === ';' || this.#blocks.has(word)) return at
      else if (words.at(at + 1) === ':') return at
      else if (/^(?:RETURN|SELECT|INSERT|UPDATE|DELETE|REPLACE|CALL|WITH|DO|EXECUTE)$/.test(word))
        return at
    }
    return at
  }

  /** Returns the index of the last word of the conditions in DECLARE … HANDLER FOR. */
  #endOfConditions(words: Words, from: number): number {
    for (let at = from; ; at += 2) {
      if (words.at(at) === 'SQLSTATE') at += words.at(at + 1) === 'VALUE' ? 2 : 1
      else if (words.at(at) === 'NOT') at++
      if (words.at(at + 1) !== ',') return at
    }
  }

  #maySetMode(words: Words): boolean {
    const isSetting = /SQL_MODE|CHARACTER_SET_CLIENT|^(?:NAMES|CHARSET|EXECUTE)$|[\x80-\xff]/
    for (let at = 0; at < words.length; at++) {
      const word = words.at(at)
      if (/^['"]/.test(word)) continue
      if (isSetting.test(word) || (word === 'CHARACTER' && words.at(at - 1) === 'SET')) return true
    }
    return false
  }

  /**
   * Returns why a string is ambiguous under the current sql_mode, or null. If it is ambiguous under the character set,
   * rejects the dump and returns null.
   */
  #troubleIn(text: string): string | null {
    if (!this.#ansi && !this.#multibyte) return null
    if (this.#multibyte && /[\x80-\xff][\\`]/.test(text)) {
      this.#rejectMultibyte(this.#statementLine)
      return null
    }
    this.#tokenize(text)
    const words = this.#words()
    for (let at = 0; at < words.length; at++) {
      const word = words.at(at)
      if (this.#ansi && word.startsWith('"') && word.includes('\\')) return this.#unclearText
    }
    return null
  }

  /** Returns the rewritten statement, or null if the filter removes it. */
  #rewriteOne(text: string): string | null {
    const { count, optional, inner, isBroken } = this.#tokenize(text)
    this.#isChange = false
    const words = this.#words(0, count)
    const first = words.at(0)
    const writesFile = /outfile|dumpfile/i.test(text)
    if (
      this.#plain.has(first) &&
      !writesFile &&
      !isBroken &&
      optional.length + inner.length === 0
    ) {
      this.#isChange = !this.#idle.has(first)
      this.#readTransaction(text, words)
      return this.#edited(text, this.#nameEdits(text, words, first, ''))
    }
    const reject = (message: string) => {
      this.#reject(message, this.#statementLine)
      return null
    }
    if (isBroken) return reject(this.#nested)
    // A reading is the statement as one version of the server sees it.
    const readings = optional.length > 0 ? this.#readings(words, optional) : [words]
    const without = (what: string, why: string) => {
      this.#note(what, why)
      this.#isChange = false
      return null
    }
    const second = words.at(1)
    const isDefinition = this.#definitions.has(first)
    const objectAt = isDefinition ? this.#objectAt(words) : -1
    const object = objectAt < 0 ? '' : words.at(objectAt)
    const isSame = (other: Words) =>
      other.length === 0 ||
      (other.at(0) === first && (!isDefinition || other.at(this.#objectAt(other)) === object))
    if (optional.length > 0 && !readings.every(isSame)) return reject(this.#differs)
    const isDatabase = object === 'DATABASE' || object === 'SCHEMA'
    const isIdle = this.#idle.has(first) && !(first === 'BEGIN' && second === 'NOT')
    this.#isChange = /^[A-Z]/.test(first) && !isIdle && !(first === 'ALTER' && isDatabase)
    const some = (test: (words: Words, at: number) => boolean) =>
      readings.some((each) => {
        for (let at = 0; at < each.length; at++) if (test(each, at)) return true
        return false
      })

    if (first === 'LOAD' && readings.some((each) => each.length > 0 && each.at(1) !== 'INDEX'))
      return reject(`The file contains LOAD ${second}, which reads files of the server.`)
    if (
      writesFile &&
      some((each, at) => /^(?:OUT|DUMP)FILE$/.test(each.at(at)) && each.at(at - 1) === 'INTO')
    ) {
      return reject('The file contains SELECT … INTO OUTFILE, which writes files on the server.')
    }
    if (
      first === 'CREATE' &&
      object === 'FUNCTION' &&
      some((each, at) => each.at(at) === 'SONAME' && each.at(at - 2) === 'RETURNS')
    ) {
      return reject('The file loads a library into the server (CREATE FUNCTION … SONAME).')
    }
    // mysqldump writes these statements with the options --source-data and --dump-replica.
    if (first === 'CHANGE' && /^(?:MASTER|REPLICATION)$/.test(second))
      return without(
        second === 'MASTER' ? 'CHANGE MASTER' : `CHANGE REPLICATION ${words.at(2)}`,
        this.#wholeServer
      )
    if ((first === 'START' || first === 'STOP') && /^(?:ALL|SLAVE|REPLICA)$/.test(second))
      return without(`${first} ${second}`, this.#wholeServer)
    if (this.#serverStatements.has(first))
      return reject(`The file contains ${first}, which affects the whole server.`)
    const nameAt = (each: Words, at: number) => text.slice(each.from(at), each.to(at))
    if (first === 'USE') {
      for (const each of readings) if (each.length > 0) this.#names.add(nameAt(each, 1))
      return without('USE', this.#oneDatabase)
    }
    if (first === 'CREATE' && isDatabase) {
      for (const each of readings) {
        if (each.length === 0) continue
        const at = this.#objectAt(each) + 1
        const isSafe = [0, 1, 2].map((offset) => each.at(at + offset)).join(' ') === 'IF NOT EXISTS'
        this.#names.add(nameAt(each, isSafe ? at + 3 : at))
      }
      return without('CREATE DATABASE', this.#oneDatabase)
    }
    if (first === 'DROP' && isDatabase) return without('DROP DATABASE', this.#oneDatabase)
    if (first === 'GRANT' || first === 'REVOKE') return without(first, this.#usersOnPage)
    if (object === 'USER' || object === 'ROLE')
      return without(`${first} ${object}`, this.#usersOnPage)
    if (this.#serverObjects.has(object)) return without(`${first} ${object}`, this.#wholeServer)
    if (first === 'FLUSH') return without('FLUSH', this.#wholeServer)
    if ((first === 'LOCK' || first === 'UNLOCK') && /^TABLES?$/.test(second)) {
      return without('LOCK TABLES', 'Locks are not needed: only the import uses the new tables.')
    }
    if (first && !this.#inert.has(first)) this.#unsureMode = this.#unsureCharset = true
    this.#readTransaction(text, words)
    if (first === 'SET') {
      const change = this.#readSettings(readings)
      if (change) return reject(change)
      const why = this.#leftOutSetting(text, words)
      if (why) return without(why[0], why[1])
    }
    const settings = first === 'SET' ? this.#settingsOfMysql(words) : null
    if (settings && !settings.hasOthers)
      return without(`SET ${settings.names[0]}`, this.#otherServer)
    const changes = first === 'CREATE' || first === 'ALTER'
    const edits = this.#nameEdits(text, words, first, object)
    for (const { from, to } of inner)
      edits.push({ from, to, by: ` ${'\n'.repeat(this.#newlines(text.slice(from, to)))}` })
    const blank = (from: number, to: number) => {
      edits.push(...this.#blanks(text, words, from, to))
    }
    if (settings) {
      for (const { from, to } of settings.ranges) blank(from, to)
      for (const name of settings.names) this.#note(`${name}: removed; only MySQL has this setting`)
    }
    if (changes) {
      for (let at = 1; at < objectAt; at++) {
        if (words.at(at) !== 'DEFINER' || words.at(at + 1) !== '=') continue
        this.#note('DEFINER: replaced by the user of this database')
        const after = this.#afterUser(words, at + 2)
        blank(at, after)
        at = after - 1
      }
      if (first === 'ALTER' && isDatabase) {
        this.#note(
          'ALTER DATABASE: it applies during this import only; the database keeps its own settings'
        )
        if (!/^(?:CHARACTER|CHARSET|DEFAULT|COLLATE)$/.test(words.at(2))) blank(2, 3)
      }
      const isMoved = /directory/i.test(text)
      for (let at = 0; isMoved && at < words.length - 1; at++) {
        if (words.at(at + 1) !== 'DIRECTORY' || !/^(?:DATA|INDEX)$/.test(words.at(at))) continue
        const value = words.at(at + 2) === '=' ? at + 3 : at + 2
        // Only the table option is followed by a path. Columns and indexes may have the same name as the option.
        if (!/^['"]/.test(words.at(value))) continue
        blank(at, words.at(value + 1) === ',' ? value + 2 : value + 1)
        this.#note('DATA DIRECTORY: removed; the server decides where it stores files')
      }
      for (let at = 0; at < words.length; at++) {
        if (words.at(at) !== 'COLUMN_FORMAT' || words.at(at + 1) !== 'COMPRESSED') continue
        blank(at, at + 2)
        this.#note('COLUMN_FORMAT COMPRESSED: removed; only Percona Server has it')
      }
      if (object === 'TABLE') this.#removeExpressionKeys(text, words, edits)
    }
    if ((changes || first === 'SET') && this.#collations && /collat/i.test(text))
      this.#replaceCollations(text, words, edits)
    return this.#edited(text, edits)
  }

  /** Removes keys that contain an expression in double parentheses. MySQL 8 supports them, MariaDB does not. */
  #removeExpressionKeys(text: string, words: Words, edits: TextEdit[]): void {
    if (!/\(\s*\(/.test(text)) return
    let depth = 0
    let comma = -1
    let key = ''
    for (let at = 0; at < words.length; at++) {
      const word = words.at(at)
      if (word === '(') depth++
      if (word === '(' && depth === 3 && key === '' && comma >= 0) {
        const start = /^(?:UNIQUE|FULLTEXT|SPATIAL)$/.test(words.at(comma + 1))
          ? comma + 2
          : comma + 1
        const isPart = words.at(at - 1) === '(' || words.at(at - 1) === ','
        if (isPart && /^(?:KEY|INDEX)$/.test(words.at(start)))
          key = text.slice(words.from(start + 1), words.to(start + 1))
      }
      if (word === ')') depth--
      const isEnd = depth === 0 && word === ')'
      if (!isEnd && !(depth === 1 && word === ',')) continue
      if (key !== '') {
        // First, because only the first edit of a token is applied, and edits of names come after it.
        edits.unshift(...this.#blanks(text, words, comma, at))
        this.#note(
          `Key ${Buffer.from(key, 'latin1').toString()}: removed, because MariaDB has no keys on expressions`
        )
      }
      if (isEnd) return
      comma = at
      key = ''
    }
  }

  /** Returns the edits that remove tokens, but not the start and end of versioned comments between them. */
  #blanks(text: string, words: Words, from: number, to: number): TextEdit[] {
    const edits: TextEdit[] = []
    for (let at = from; at < Math.min(to, words.length); at++) {
      const [start, end] = [words.from(at), words.to(at)]
      const by = '\n'.repeat(this.#newlines(text.slice(start, end)))
      edits.push({ from: start, to: end, by })
    }
    return edits
  }

  #nameEdits(text: string, words: Words, first: string, object: string): TextEdit[] {
    if (object === 'DATABASE' || object === 'SCHEMA' || !text.includes('.')) return []
    let bodyAt = words.length
    if (this.#isBlock(words)) {
      bodyAt = this.#bodyAt(words)
      if (bodyAt < 0) bodyAt = this.#objectAt(words) + 2
    }
    const edits = this.#names.edits(text, words, { first, object, bodyAt })
    this.#noteNames()
    return edits
  }

  #edited(text: string, edits: TextEdit[]): string {
    let out = ''
    let at = 0
    for (const { from, to, by } of edits.sort((one, other) => one.from - other.from)) {
      if (from < at) continue
      out += text.slice(at, from) + by
      at = to
    }
    return at === 0 ? text : out + text.slice(at)
  }

  /** If a SET statement changes the whole server or user accounts, returns its kind and why the filter removes it. */
  #leftOutSetting(text: string, words: Words): [string, string] | null {
    const second = words.at(1)
    if (second === 'PASSWORD' || second === 'ROLE') return [`SET ${second}`, this.#usersOnPage]
    if (second === 'DEFAULT' && words.at(2) === 'ROLE')
      return ['SET DEFAULT ROLE', this.#usersOnPage]
    if (!/sql_log_bin|gtid_|global|persist/i.test(text)) return null
    const list: string[] = []
    for (let at = 0; at < words.length; at++)
      if (!/^['"]/.test(words.at(at))) list.push(words.at(at))
    const listText = list.join(' ')
    if (/SQL_LOG_BIN\b/.test(listText)) return ['SET SQL_LOG_BIN', this.#wholeServer]
    if (/GTID_PURGED|GTID_SLAVE_POS/.test(listText)) return ['SET GTID_PURGED', this.#wholeServer]
    if (
      /(?:^| )GLOBAL [@A-Z]|@@(?:GLOBAL|PERSIST|PERSIST_ONLY)\.[^ ]* :?=|(?:^| )PERSIST(?:_ONLY)? /.test(
        listText
      )
    )
      return ['SET GLOBAL', this.#wholeServer]
    return null
  }

  /**
   * Returns the token ranges of assignments to settings that MariaDB lacks, each with one comma, and the names of
   * the settings. Null: there are none. `hasOthers`: other assignments remain.
   */
  #settingsOfMysql(words: Words) {
    const ranges: { from: number; to: number }[] = []
    const names: string[] = []
    let hasOthers = false
    let depth = 0
    let from = 1
    for (let at = 1; at <= words.length; at++) {
      const word = words.at(at)
      if (word === '(') depth++
      if (word === ')') depth--
      if (at < words.length && !(depth === 0 && word === ',')) continue
      const nameAt = /^(?:SESSION|LOCAL)$/.test(words.at(from)) ? from + 1 : from
      const name = words.at(nameAt)
      if (/^[:=]$/.test(words.at(nameAt + 1)) && this.#mysqlSettings.test(name)) {
        names.push(name.replace(/^.*\./, ''))
        // Removes the assignment with the comma before it. If no assignment remains before it, removes the comma after
        // it instead.
        ranges.push(hasOthers ? { from: from - 1, to: at } : { from, to: at + 1 })
      } else hasOthers = true
      from = at + 1
    }
    return names.length ? { ranges, names, hasOthers } : null
  }

  /**
   * Updates `#ansi` and `#multibyte` from a SET statement. A value that is not a literal counts as unknown. Returns
   * why the statement is rejected.
   */
  #readSettings(readings: Words[]): string | null {
    const before = { ansi: this.#ansi, multibyte: this.#multibyte }
    const after = readings.map((words) => {
      this.#ansi = before.ansi
      this.#multibyte = before.multibyte
      const problem = this.#readSetting(words)
      return { refusal: problem, ansi: this.#ansi, multibyte: this.#multibyte }
    })
    this.#ansi = after.some(({ ansi }) => ansi)
    this.#multibyte = after.some(({ multibyte }) => multibyte)
    return after.find(({ refusal }) => refusal)?.refusal ?? null
  }

  #readSetting(words: Words): string | null {
    const forOne = words.at(1) === 'STATEMENT'
    if (forOne) this.#unsureMode = this.#unsureCharset = true
    for (let at = 1; at < words.length; at++) {
      if (words.to(at) - words.from(at) < 5) continue
      const word = words.at(at)
      // In some character sets such a byte is white space, so a name can start or end at it.
      if (/^[^'"`]*[\x80-\xff]/.test(word)) this.#unsureMode = this.#unsureCharset = true
      const name = word.replace(/^@@(?:(?:SESSION|LOCAL)\.)?/, '').replaceAll(/[`"]/g, '')
      let value = at + 1
      if (name === 'CHARACTER' && words.at(value) === 'SET') value++
      else if (name !== 'NAMES' && name !== 'CHARSET') {
        if (name !== 'SQL_MODE' && name !== 'CHARACTER_SET_CLIENT') continue
        if (words.at(value) === ':') value++
        if (words.at(value) !== '=') continue
        value++
      }
      const next = words.at(value + 1)
      const isAlone = ['', ',', 'COLLATE', 'FOR'].includes(next)
      const [, text] = /^['"`]?(\w[\w, ]*|)['"`]?$/.exec(words.at(value)) ?? []
      const isClear = isAlone && text !== undefined && !/^(?:\d|DEFAULT$)/.test(text)
      if (isClear && name === 'SQL_MODE' && text.includes('NO_BACKSLASH_ESCAPES')) {
        return 'The file sets the sql_mode NO_BACKSLASH_ESCAPES, under which strings cannot be parsed safely. Export the database again without this mode.'
      }
      const isAnsi = isClear && /ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL/.test(text)
      const isMultibyte = isClear && /^(?:BIG5|CP932|GB18030|GBK|SJIS)$/.test(text)
      if (forOne) {
        // SET STATEMENT applies the mode to the rest of the same statement.
        if (isClear && !isAnsi && !isMultibyte) continue
        return 'The file sets a mode or character set for one statement (SET STATEMENT), under which strings cannot be parsed safely. Export the database again without SET STATEMENT.'
      }
      // This server may skip the statement (`/*!99999 … */`), so a mode that was on may stay on.
      if (name === 'SQL_MODE') {
        if (!isClear || (this.#ansi && !isAnsi)) this.#unsureMode = true
        this.#ansi = isAnsi
      } else {
        if (!isClear || (this.#multibyte && !isMultibyte)) this.#unsureCharset = true
        this.#multibyte = isMultibyte
      }
    }
    return null
  }

  /**
   * Returns a SET statement that resets modes and character sets in which the server would parse strings
   * differently from filter and client. It follows a statement that may have set them, on the same line. Otherwise
   * returns ''.
   */
  #guard(delimiter = this.#delimiterText): string {
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
    return takesBack.length ? `SET ${takesBack.join(', ')}${delimiter}` : ''
  }

  /** Returns the index after a user name: `root`@`localhost`, 'root'@'%', CURRENT_USER(). */
  #afterUser(words: Words, from: number): number {
    let at = from + 1
    if (words.at(at) === '(' && words.at(at + 1) === ')') at += 2
    if (words.at(at) === '@') at += 2
    else if (words.at(at).startsWith('@')) at += 1
    return at
  }

  #replaceCollations(text: string, words: Words, edits: TextEdit[]): void {
    const known = this.#collations!
    for (let at = 1; at < words.length; at++) {
      const before = words.at(at - 1) === '=' ? words.at(at - 2) : words.at(at - 1)
      if (before !== 'COLLATE' && !/COLLATION_(?:CONNECTION|SERVER|DATABASE)$/.test(before))
        continue
      const [from, to] = [words.from(at), words.to(at)]
      const written = text.slice(from, to)
      const name = written.replace(/^['"`]|['"`]$/g, '')
      if (!/^[a-z0-9]+_[a-z0-9_]+$/i.test(name) || known.has(name.toLowerCase())) continue
      const charset = name.toLowerCase().split('_')[0]
      const exact = /_(?:cs|bin)$/i.test(name)
      const choices = exact ? ['_bin'] : ['_unicode_ci', '_general_ci', '_bin']
      const collation = choices.map((each) => charset + each).find((each) => known.has(each))
      if (!collation) continue
      edits.push({ from, to, by: written.replace(name, collation) })
      this.#note(`Collation ${name} does not exist on this server: replaced by ${collation}`)
    }
  }

  #newlines(text: string): number {
    let count = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
    return count
  }

  /** Returns the five or six digits of the version, as servers parse it, or ''. */
  #versionAt(text: string, at: number): string {
    let end = at
    while (end < at + 6 && text.charCodeAt(end) >= 48 && text.charCodeAt(end) <= 57) end++
    return end - at < 5 ? '' : text.slice(at, end)
  }

  /**
   * Returns whether a server executes a versioned comment. MariaDB skips the versions of MySQL from 5.7 on,
   * MySQL all comments of MariaDB (`/*M!`). Source: lex_one_token of both servers.
   */
  #runs(
    comment: { isMaria: boolean; version: number },
    server: { isMaria: boolean; version: number }
  ) {
    const { isMaria, version } = comment
    if (!server.isMaria) return !isMaria && version <= server.version
    return version <= server.version && (isMaria || version < 50_700 || version > 99_999)
  }

  #readings(words: Words, optional: Tokens['optional']): Words[] {
    const versions = [...new Set(optional.map(({ version }) => version))].slice(0, 50)
    const servers = [0, 50_700, 100_000, ...versions].flatMap((version) => [
      { isMaria: true, version: Math.max(version, 100_000) },
      { isMaria: false, version: Math.max(version, 50_700) },
    ])
    const readings = new Map<string, Words>([['', words]])
    for (const server of servers) {
      const skipped = optional.filter((each) => !this.#runs(each, server))
      const key = skipped.map(({ first }) => first).join(' ')
      if (readings.has(key)) continue
      const indexes: number[] = []
      let next = 0
      for (let at = 0; at < words.length; at++) {
        while (next < skipped.length && at >= skipped[next].end) next++
        if (next >= skipped.length || at < skipped[next].first) indexes.push(at)
      }
      readings.set(key, {
        length: indexes.length,
        at: (at) => (at in indexes ? words.at(indexes[at]) : ''),
        from: (at) => words.from(indexes[at]),
        to: (at) => words.to(indexes[at]),
      })
    }
    return [...readings.values()]
  }

  /**
   * Returns the position after the start of a versioned comment (`/*!50700`). -1: more bytes are needed.
   * -2: a server that skips the comment may find its end elsewhere.
   */
  #versioned(buffer: Buffer, at: number, end: number, last: boolean): number {
    const mark = buffer.toString('latin1', at, at + 10)
    const head = mark[2] === 'M' ? 4 : 3
    const digits = this.#versionAt(mark, head)
    const after = at + head + digits.length
    if (!this.#isOptional(head === 4, digits)) return after
    const limit = at + this.#maxSkippedBytes
    const close = buffer.subarray(0, limit).indexOf('*/', at + 2, 'latin1')
    if (close < 0) return !last && end < limit ? -1 : -2
    const inside = buffer.toString('latin1', after, close)
    return /;|#|--|\/\*|\/$/.test(this.#withoutTexts(inside)) || buffer[close + 2] === 42
      ? -2
      : after
  }

  /** Returns whether a supported server skips the comment. None skips comments for MySQL before 5.7. */
  #isOptional(isMaria: boolean, digits: string): boolean {
    return digits !== '' && (isMaria || digits.length > 5 || Number(digits) >= 50_700)
  }

  /** Removes strings and quoted names. `;` replaces a string without an end, so that callers treat the rest as code. */
  #withoutTexts(text: string): string {
    let out = ''
    let at = 0
    for (;;) {
      const quote = text.slice(at).search(/['"`]/)
      if (quote < 0) return out + text.slice(at)
      out += text.slice(at, at + quote)
      at = this.#textEnd(text, at + quote)
      if (at > text.length) return `${out};`
    }
  }

  /** Returns the position after a string or quoted name. If it has no end, returns more than the text's length. */
  #textEnd(text: string, from: number): number {
    const quote = text.charCodeAt(from)
    const { length } = text
    for (let at = from + 1; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code === 92 && quote !== 96) at++
      else if (code === quote) {
        if (text.charCodeAt(at + 1) !== quote) return at + 1
        at++
      }
    }
    return length + 1
  }

  #words(first = 0, count = this.#count): Words {
    const starts = this.#starts
    const ends = this.#ends
    const text = this.#text
    const letters = this.#letters
    const length = count - first
    return {
      length,
      at: (index) => {
        if (index < 0 || index >= length) return ''
        const from = starts[first + index]
        const to = ends[first + index]
        return to === from + 1 ? letters[text.charCodeAt(from)] : text.slice(from, to).toUpperCase()
      },
      from: (index) => (index < length ? starts[first + index] : text.length),
      to: (index) => (index < length ? ends[first + index] : text.length),
    }
  }

  #tokenize(text: string): Tokens {
    if (this.#tokens && text === this.#text) return this.#tokens
    const classes = this.#classes
    const { length } = text
    const optional: Tokens['optional'] = []
    const inner: Tokens['inner'] = []
    let isVersioned = false
    let isBroken = false
    let open: Tokens['optional'][number] | null = null
    let starts = this.#starts
    let ends = this.#ends
    let count = 0
    let at = 0
    while (at < length) {
      const code = text.charCodeAt(at)
      if (classes[code] === 1) {
        at++
        continue
      }
      const from = at
      const next = text.charCodeAt(at + 1)
      if (classes[code] === 2) {
        do at++
        while (at < length && classes[text.charCodeAt(at)] === 2)
      } else if (code === 39 || code === 34 || code === 96) {
        at = Math.min(length, this.#textEnd(text, at))
      } else if (
        code === 35 ||
        (code === 45 && next === 45 && !(classes[text.charCodeAt(at + 2)] !== 1 && at + 2 < length))
      ) {
        const line = text.indexOf('\n', at)
        at = line < 0 ? length : line
        continue
      } else if (code === 47 && next === 42) {
        const isMaria = text.charCodeAt(at + 2) === 77
        const head = at + (isMaria ? 4 : 3)
        if (text.charCodeAt(head - 1) === 33) {
          const digits = this.#versionAt(text, head)
          isVersioned = true
          if (this.#isOptional(isMaria, digits)) {
            open = { isMaria, version: Number(digits), first: count, end: length }
            optional.push(open)
          }
          at = head + digits.length
        } else {
          const close = text.indexOf('*/', at + 2)
          at = close < 0 ? length : close + 2
          if (isVersioned) inner.push({ from, to: at })
        }
        continue
      } else if (code === 42 && next === 47 && isVersioned) {
        if (text.charCodeAt(at + 2) === 42) isBroken = true
        if (open) open.end = count
        open = null
        isVersioned = false
        at += 2
        continue
      } else if (code === 64) {
        at++
        if (next === 64 && classes[text.charCodeAt(at + 1)] === 2) at++
        while (at < length && classes[text.charCodeAt(at)] === 2) at++
      } else at++
      if (count === starts.length) {
        const [longStarts, longEnds] = [new Uint32Array(2 * count), new Uint32Array(2 * count)]
        longStarts.set(starts)
        longEnds.set(ends)
        this.#starts = starts = longStarts
        this.#ends = ends = longEnds
      }
      starts[count] = from
      ends[count] = at
      count++
    }
    this.#text = text
    this.#count = count
    return (this.#tokens = { count, optional, inner, isBroken })
  }
}
