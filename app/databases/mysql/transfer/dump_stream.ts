import { databaseOperationFailed } from '#databases/errors'
import { commandAsOwner } from '#guest/public_effects'
import { describeKillSignal, redactErrorMessage } from '#databases/mysql/transfer/run_dump_import'
import {
  renderDamageComments,
  parseDumpErrors,
  type DamagedObject,
} from '#databases/mysql/transfer/damaged_objects'
import { PortableDump } from '#databases/mysql/transfer/portable_dump'
import type { Server, TemporaryUser } from '#databases/servers/server'
import { type Readable, Transform, pipeline } from 'node:stream'

const EXPORT_TIMEOUT_MS = 12 * 3_600_000
/** Start of the last line of a complete dump. */
const END_MARKER = '-- Dump completed'
const HELD_BACK_BYTES = 1_024
/** If mariadb-dump writes more to standard error, the dump counts as incomplete. */
const MAX_STDERR_CHARACTERS = 256 * 1024

export function buildDumpArgs(
  { clientArgs }: Server,
  user: string,
  database: string,
  views: string[] = []
): string[] {
  return [
    '--no-defaults',
    ...clientArgs,
    `--user=${user}`,
    '--single-transaction',
    '--quick',
    '--routines',
    '--events',
    '--triggers',
    '--hex-blob',
    '--no-tablespaces',
    '--default-character-set=utf8mb4',
    '--max-allowed-packet=1G',
    // Continues after an error, so that one broken view does not end the dump. Standard error shows whether the
    // dump is complete.
    '--force',
    ...views.map((name) => `--ignore-table=${database}.${name}`),
    '--net-buffer-length=1M',
    // Ends the options, because a database name can look like one (`--result-file=…`).
    '--',
    database,
  ]
}

interface DumpRequest {
  account: Pick<TemporaryUser, 'user' | 'password'>
  damaged: DamagedObject[]
  /** Whether the dump may succeed despite damage that is not in `damaged`. */
  acceptsMore: boolean
}

/**
 * Runs mariadb-dump in the server's sandbox, or without one on its machine. Resolves with a stream when the first
 * bytes arrive. A failure before that rejects, a later failure is an error of the stream.
 */
export async function openDumpStream(
  server: Server,
  database: string,
  { account, damaged, acceptsMore }: DumpRequest
): Promise<Readable> {
  const views = damaged.filter(({ kind }) => kind === 'view').map(({ name }) => name)
  const argv = ['mariadb-dump', ...buildDumpArgs(server, account.user, database, views)]
  const env = { MYSQL_PWD: account.password }
  const owned = server.instance ? commandAsOwner(argv, { env }) : { argv, options: { env } }
  const running = await (server.sandbox ?? server.machine).spawn(owned.argv, {
    ...owned.options,
    cwd: '/',
    timeout: EXPORT_TIMEOUT_MS,
  })
  running.stdin.on('error', () => {})
  running.stdin.end()
  let errorOutput = ''
  running.stderr.on(
    'data',
    (chunk: Buffer) =>
      (errorOutput = (errorOutput + chunk.toString()).slice(-MAX_STDERR_CHARACTERS))
  )
  const whole = running.exit.then((status) => {
    if (status.code === 0) return true
    const why = describeKillSignal(status)
    if (why) errorOutput += `\nerror: ${why}`
    const isKilled = why || status.signal || errorOutput.length >= MAX_STDERR_CHARACTERS
    const more = isKilled ? null : parseDumpErrors(errorOutput, damaged)
    if (!more || (more.length > 0 && !acceptsMore)) return false
    damaged.push(...more)
    return true
  })
  whole.catch(() => {})
  const why = () =>
    databaseOperationFailed(
      `The export stopped: ${redactErrorMessage(dumpErrorMessage(errorOutput))}`,
      errorOutput.slice(-4_000)
    )
  const portable = new PortableDump()
  const body = heldBack(whole, why, () => portable.comments() + renderDamageComments(damaged))
  const began = new Promise<void>((resolve, reject) => {
    body.once('readable', resolve)
    body.once('error', reject)
  })
  pipeline(running.stdout, portable, body, () => {
    void running.kill('SIGKILL').catch(() => {})
  })
  await began
  return body
}

/**
 * Sends the last bytes only if the command has succeeded and they contain "Dump completed". Inserts `comments`
 * before that line.
 */
function heldBack(whole: Promise<boolean>, why: () => Error, comments: () => string): Transform {
  let held: Buffer = Buffer.alloc(0)
  return new Transform({
    readableHighWaterMark: 1024 ** 2,
    writableHighWaterMark: 1024 ** 2,
    transform(chunk: Buffer, _encoding, done) {
      if (chunk.length >= HELD_BACK_BYTES) {
        if (held.length > 0) this.push(held)
        this.push(chunk.subarray(0, chunk.length - HELD_BACK_BYTES))
        held = chunk.subarray(chunk.length - HELD_BACK_BYTES)
        return done()
      }
      const all = Buffer.concat([held, chunk])
      const sendableBytes = Math.max(0, all.length - HELD_BACK_BYTES)
      if (sendableBytes > 0) this.push(all.subarray(0, sendableBytes))
      held = all.subarray(sendableBytes)
      done()
    },
    flush(done) {
      whole.then(
        (well) => {
          const end = held.lastIndexOf(END_MARKER)
          if (!well || end < 0) return done(why())
          done(
            null,
            Buffer.concat([held.subarray(0, end), Buffer.from(comments()), held.subarray(end)])
          )
        },
        (error: Error) => done(error)
      )
    },
  })
}

function dumpErrorMessage(stderr: string): string {
  const lines = stderr.trim().split('\n')
  // Uses the first error. With --force, later errors may be consequences of it.
  const first = lines.find((each) => /^(?:mariadb-|mysql)dump: .*(?:error|couldn't)/i.test(each))
  const line = first ?? lines.findLast((each) => /error/i.test(each)) ?? lines.at(-1)
  return line?.replace(/^mariadb-dump: /, '') || 'the export program ended too early.'
}
