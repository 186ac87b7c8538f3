import { databaseOperationFailed } from '#databases/errors'
import type { FilterReport } from '#databases/mysql/transfer/sql_filter'
import type { Server, TemporaryUser } from '#databases/servers/server'
import { conflict, AppError } from '#core/app_error'
import { commandAsOwner } from '#guest/public_effects'
import {
  forEachLine,
  MachineError,
  type ExitStatus,
  type RemoteProcess,
} from '#packages/machine/main'
import { addAbortListener } from 'node:events'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { brotliCompressSync } from 'node:zlib'
import { readModule, readScript } from '#packages/machine/read_script'

/**
 * The filter program. Compiled code reads it when this module is loaded, because a later build replaces the files.
 * With TypeScript sources it is read on first use, because Node then prints a warning about types.
 */
let loadedProgram = import.meta.filename.endsWith('.js') ? loadProgram() : ''

function program(): string {
  return (loadedProgram ||= loadProgram())
}

/**
 * Returns a short program that unpacks and runs the whole one. A command-line argument has at most 128 KiB, also
 * after quotes are escaped.
 */
function loadProgram(): string {
  const modules = ['database_names', 'sql_filter', 'dump_format'].map((name) =>
    readModule(import.meta, name)
  )
  const source = [...modules, readScript(import.meta, 'run_import.mjs')].join('\n')
  const packed = brotliCompressSync(source).toString('base64')
  return `import { brotliDecompressSync } from 'node:zlib'
const source = brotliDecompressSync(Buffer.from('${packed}', 'base64'))
await import('data:text/javascript;base64,' + source.toString('base64'))`
}

interface Ended {
  /** Exit code or signal of the mariadb client. */
  status: number | string | null
  said: string
  trouble: string
  report: FilterReport | null
}

export interface DumpImportRequest {
  file: string
  collations: string[]
  /** Maximum bytes of a statement (`max_allowed_packet`). */
  maxPacket: number
  ignoresCase?: boolean
  acceptsMissingEnd?: boolean
  /** The database to fill, and the user that the mariadb client signs in as. */
  into: { database: string; account: Pick<TemporaryUser, 'user' | 'password'> }
  report(note: string, share?: number): Promise<void>
  /** First word of progress messages, such as `Importing`. */
  doing: string
  signal?: AbortSignal
}

/**
 * Progress messages that arrive faster are ignored. The filter prints one every 500 ms, but a customer's own `node`
 * could print any number.
 */
const MIN_PROGRESS_INTERVAL_MS = 200

const MAX_NEAR_CHARACTERS = 80

const IMPORT_TIMEOUT_MS = 12 * 3_600_000

/** Returns whether a file name may be that of a dump. The content of the file decides its format later. */
export const isDumpFilename = (filename: string): boolean => /\.(?:sql|gz|zip)$/i.test(filename)

/** SQL expression: the server's sql_mode, without the modes that change how strings are parsed. */
const PLAIN_SQL_MODE =
  "REGEXP_REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES|ANSI_QUOTES|ANSI|DB2|MAXDB|MSSQL|ORACLE|POSTGRESQL', '')"

/** The rights of `user`, not these options, restrict a customer's dump to one database. */
export function buildImportArgs(
  { clientArgs }: Server,
  user: string,
  database: string,
  { autocommit = true } = {}
): string[] {
  return [
    '--no-defaults',
    ...clientArgs,
    `--user=${user}`,
    '--sandbox',
    // In binary mode, strings are imported byte for byte, and all client commands except DELIMITER and \C are
    // disabled.
    '--binary-mode',
    '--batch',
    '--skip-comments',
    '--skip-named-commands',
    '--skip-reconnect',
    '--local-infile=0',
    '--default-character-set=utf8mb4',
    '--no-auto-rehash',
    '--max-allowed-packet=1G',
    '--net-buffer-length=1M',
    `--init-command=SET SESSION lock_wait_timeout=30, SESSION innodb_lock_wait_timeout=30, SESSION autocommit=${autocommit ? 1 : 0}, SESSION sql_mode=${PLAIN_SQL_MODE}`,
    database,
  ]
}

/**
 * Sends a dump through the filter into the mariadb client, in the server's sandbox, or without one on its machine.
 * @throws AppError with the problem and, if known, the line of the dump
 */
export async function runDumpImport(
  server: Server,
  request: DumpImportRequest
): Promise<FilterReport> {
  request.signal?.throwIfAborted()
  const { into, collations, maxPacket, ignoresCase, acceptsMissingEnd } = request
  const size = await sizeOf(server, request.file)
  const client = [
    'mariadb',
    ...buildImportArgs(server, into.account.user, into.database, { autocommit: false }),
  ]
  const groupsCommits = true
  const options = JSON.stringify({
    collations,
    maxPacket,
    ignoresCase,
    acceptsMissingEnd,
    groupsCommits,
  })
  const env = { MYSQL_PWD: into.account.password }
  const running = await start(server, request.file, env, (descriptor) => {
    const node = server.instance ? 'node' : process.execPath
    const head = [
      node,
      '--input-type=module',
      '-e',
      program(),
      '--',
      descriptor,
      String(size),
      options,
    ]
    return [...head, ...client]
  })
  const stop = () => void running.kill('SIGKILL').catch(() => {})
  const watching = request.signal && addAbortListener(request.signal, stop)
  running.stdin.on('error', () => {})
  let errorOutput = ''
  running.stderr.on(
    'data',
    (chunk: Buffer) => (errorOutput = (errorOutput + chunk.toString()).slice(-2_000))
  )
  let last: Ended | null = null
  let reportedAt = 0
  try {
    const lines = forEachLine(
      running.stdout,
      (line) => {
        const message = readMessage(line)
        if ('end' in message) last = message.end
        else if (Date.now() - reportedAt > MIN_PROGRESS_INTERVAL_MS) {
          reportedAt = Date.now()
          const { read, size } = message
          // If saving the progress fails, the import still continues.
          request.report(progressText(request.doing, read, size), share(read, size)).catch(() => {})
        }
      },
      { maxLineLength: 1024 ** 2 }
    )
    await Promise.all([
      lines,
      running.exit.then((status) => (errorOutput += describeKillSignal(status))),
    ])
  } catch (error) {
    stop()
    if (!(error instanceof MachineError && error.kind === 'timeout')) throw error
    throw conflict(
      `The import took longer than 12 hours and was stopped. ${DATABASE_UNCHANGED_MESSAGE}`
    )
  } finally {
    watching?.[Symbol.dispose]()
    running.stdin.end()
  }
  request.signal?.throwIfAborted()
  return importOutcome(last, errorOutput)
}

type Message = { end: Ended } | { read: number; size: number }

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isCount = (value: unknown): value is number => Number.isFinite(value) && Number(value) >= 0

const isLinePosition = (value: unknown) => isObject(value) && isCount(value.line)

function isReport(value: unknown): value is FilterReport {
  if (!isObject(value)) return false
  const { findings, rejection, longest } = value
  const isFinding = (each: unknown) =>
    isLinePosition(each) &&
    isObject(each) &&
    typeof each.what === 'string' &&
    isCount(each.count) &&
    (each.why === undefined || typeof each.why === 'string')
  return (
    Array.isArray(findings) &&
    findings.every(isFinding) &&
    (rejection === null ||
      (isLinePosition(rejection) && isObject(rejection) && typeof rejection.words === 'string')) &&
    isLinePosition(longest) &&
    isObject(longest) &&
    isCount(longest.bytes) &&
    [value.unlisted, value.statements, value.changes, value.lines].every(isCount) &&
    [value.dumpHead, value.dumpEnd].every((each) => typeof each === 'boolean')
  )
}

function isEnded(value: unknown): value is Ended {
  if (!isObject(value)) return false
  const { status, said, trouble, report } = value
  return (
    (status === null || typeof status === 'string' || Number.isInteger(status)) &&
    typeof said === 'string' &&
    typeof trouble === 'string' &&
    (report === null || isReport(report))
  )
}

/**
 * Parses a line that the filter program printed. The line can contain anything, because a customer can replace
 * `node` on an instance.
 * @throws AppError that names the cause
 */
function readMessage(line: string): Message {
  let message: unknown
  try {
    message = JSON.parse(line)
  } catch {}
  if (isObject(message)) {
    const { end, read, size } = message
    if (isEnded(end)) return { end }
    if (end === undefined && isCount(read) && isCount(size)) return { read, size }
  }
  throw databaseOperationFailed(
    `The program \`node\` on the server's machine printed text that the import did not write. Check which Node.js is installed there and import again. ${DATABASE_UNCHANGED_MESSAGE}`,
    line.slice(0, 200)
  )
}

/**
 * Starts the program. If the server has a sandbox, the program runs there and reads the dump from standard input.
 * On an instance, it runs as the user that owns the sites, and root opens the file.
 */
async function start(
  server: Server,
  file: string,
  env: Record<string, string>,
  argvFor: (descriptor: string) => string[]
): Promise<RemoteProcess> {
  const options = { cwd: '/', timeout: IMPORT_TIMEOUT_MS, env }
  if (server.sandbox) {
    const running = await server.sandbox.spawn(argvFor('0'), options)
    pipeline(createReadStream(file), running.stdin).catch(() => {})
    return running
  }
  const argv = argvFor('3')
  const owned = server.instance
    ? commandAsOwner(argv, { env, cwd: '/' })
    : { argv, options: { env } }
  return server.machine.spawn(['sh', '-c', OPEN_FILE_SCRIPT, 'berth-open', file, ...owned.argv], {
    ...options,
    ...owned.options,
    ...(server.instance && { user: 'root' as const }),
  })
}

const OPEN_FILE_SCRIPT = readScript(import.meta, 'run_with_file.sh')

async function sizeOf({ machine, instance }: Server, file: string): Promise<number> {
  const argv = ['stat', '-L', '-c', '%s', '--', file]
  const options = { cwd: '/', timeout: 60_000, ...(instance && { user: 'root' as const }) }
  const { code, stdout } = await machine.exec(argv, options)
  if (code !== 0) throw invalidDump('The file does not exist.')
  return Number(stdout.toString())
}

const ended = (signal: string) =>
  `the program was stopped (${signal}), because it needed more memory, time or processes than allowed.`

/**
 * Describes the signal that ended the program. Returns an empty text if none did. Some machines report a signal as
 * an exit code above 128.
 */
export function describeKillSignal({ code, signal }: ExitStatus): string {
  if (signal) return ended(signal)
  return code !== null && code > 128 ? ended(`signal ${code - 128}`) : ''
}

const share = (read: number, size: number) => (size > 0 ? Math.min(1, read / size) : 1)

function progressText(doing: string, read: number, size: number): string {
  const megabytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MB`
  return `${doing}: ${megabytes(read)} of ${megabytes(size)}`
}

const DATABASE_UNCHANGED_MESSAGE = 'The database is unchanged.'

function importOutcome(ended: Ended | null, errorOutput: string): FilterReport {
  if (!ended) {
    const missing = /node: (?:command )?not found|ENOENT/.test(errorOutput)
    throw databaseOperationFailed(
      missing
        ? `Node.js is missing on the server instance. Install it and import again. ${DATABASE_UNCHANGED_MESSAGE}`
        : `The import stopped on the machine${errorOutput.includes('the program was stopped') ? `: ${errorOutput.slice(errorOutput.indexOf('the program was stopped'))}` : '.'} ${DATABASE_UNCHANGED_MESSAGE}`,
      errorOutput
    )
  }
  const { trouble, report, status, said } = ended
  if (trouble === 'cut') throw invalidDump('The file is incomplete: it ends too early.')
  if (trouble === 'not one') throw invalidDump('The zip file must contain exactly one .sql file.')
  if (trouble === 'packed twice')
    throw invalidDump(
      'The file contains another compressed file. Unpack it and import the .sql file in it.'
    )
  if (trouble === 'wrong format') throw invalidDump(said.slice(0, 400))
  if (trouble === 'damaged') throw invalidDump('The file is damaged: it cannot be unpacked.')
  if (trouble || !report)
    throw invalidDump(`The file cannot be read: ${trouble || 'unknown reason'}.`)
  if (report.rejection)
    throw invalidDump(`Line ${report.rejection.line}: ${report.rejection.words}`)
  if (status !== null && status !== 0) throw mariadbClientError(said, status)
  return report
}

export function invalidDump(message: string): AppError {
  return new AppError('bad_dump', 422, `${message} ${DATABASE_UNCHANGED_MESSAGE}`, {
    errors: { file: [message] },
  })
}

/** Converts the client's error. Of the SQL that it repeats, keeps names and the start of the text at a syntax error. */
export function mariadbClientError(errorOutput: string, status: number | string): AppError {
  const line = errorOutput.split('\n').find((each) => /^ERROR/.test(each)) ?? ''
  const [, number, state, at, text] =
    /^ERROR (\d+)(?: \((\w+)\))?(?: at line (\d+))?: (.*)$/.exec(line) ?? []
  if (!number) {
    if (/^SIG/.test(String(status)) || /out of memory|cannot allocate/i.test(errorOutput)) {
      return conflict(
        `The client of the database server could not process the file: ${ended(String(status))} Split the file, or export the database again with shorter statements. ${DATABASE_UNCHANGED_MESSAGE}`
      )
    }
    return conflict(
      `The database server or its client stopped during the import (${status}). ${DATABASE_UNCHANGED_MESSAGE}`
    )
  }
  const where = at ? `line ${at} of the file` : 'the import'
  const why = hints[number] ? ` ${hints[number]}` : ''
  return invalidDump(
    `The database server rejected ${where} (${number}${state ? `, ${state}` : ''}): ${redactErrorMessage(text)}${nearText(text)}.${why}`
  )
}

/**
 * Returns the text at which the server found a syntax error, up to `MAX_NEAR_CHARACTERS`. The text comes from the
 * customer's own file.
 */
function nearText(text: string): string {
  const [, near = ''] =
    /for the right syntax to use near '([^]*?)(?:' at line \d+)?$/.exec(text) ?? []
  return (
    near &&
    ` near “${near.slice(0, MAX_NEAR_CHARACTERS)}${near.length > MAX_NEAR_CHARACTERS ? '…' : ''}”`
  )
}

const hints: Record<string, string> = {
  1044: 'The file uses another database.',
  1142: 'The file uses another database.',
  1227: 'The file needs rights on the whole server.',
  1410: 'The file needs rights on the whole server.',
  2006: 'The connection to the server was lost. A statement may be longer than max_allowed_packet.',
  2013: 'The connection to the server was lost.',
}

/** Limit for the patterns below, which take quadratic time. Messages of real servers have up to 512 bytes. */
const MAX_MESSAGE_LENGTH = 4_000

/** Removes values and SQL text from a message, because they can be private. Keeps the names of objects. */
export function redactErrorMessage(text: string): string {
  return text
    .slice(0, MAX_MESSAGE_LENGTH)
    .replace(/ for the right syntax to use near '[^]*$/, '')
    .replace(/Duplicate entry '[^]*' for key/, "Duplicate entry '…' for key")
    .replace(/((?:Incorrect|Truncated|Invalid)[^:']*: )'[^]*?'( for|$)/, "$1'…'$2")
    .replace(/berth_[a-z]+_[a-z0-9_]+/g, 'this import')
    .slice(0, 400)
}
