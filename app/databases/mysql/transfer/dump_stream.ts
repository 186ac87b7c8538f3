import { serverSays } from '#databases/errors'
import { asOwner } from '#guest/public'
import { endedBy, redact } from '#databases/mysql/transfer/client'
import type { Server, WorkAccount } from '#databases/servers/server'
import { type Readable, Transform, pipeline } from 'node:stream'

/** Milliseconds that one export may take. */
const LONGEST = 12 * 3_600_000
/** What the end of a whole dump looks like, and how much of it is held back until it is known to be one. */
const END = '-- Dump completed'
const HELD = 1_024

/** Options of mariadb-dump: one snapshot, all that a database has, no line about who may define what. */
export function dumpArgs({ clientArgs }: Server, user: string, database: string): string[] {
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
    '--net-buffer-length=1M',
    // One that is called like an option would be it: `--result-file=…`.
    '--',
    database,
  ]
}

/**
 * Runs mariadb-dump on the server's machine; resolves with the first bytes, so that what fails before
 * them is a refusal. Later the stream ends with an error.
 */
export async function dumpStream(
  server: Server,
  database: string,
  account: Pick<WorkAccount, 'user' | 'password'>
): Promise<Readable> {
  const argv = ['mariadb-dump', ...dumpArgs(server, account.user, database)]
  const env = { MYSQL_PWD: account.password }
  const owned = server.instance ? asOwner(argv, { env }) : { argv, options: { env } }
  const running = await (server.sandbox ?? server.machine).spawn(owned.argv, {
    ...owned.options,
    cwd: '/',
    timeout: LONGEST,
  })
  running.stdin.on('error', () => {})
  running.stdin.end()
  let words = ''
  running.stderr.on('data', (chunk: Buffer) => (words = (words + chunk.toString()).slice(-4_000)))
  const whole = running.exit.then((status) => {
    const why = endedBy(status)
    if (why) words += `\nerror: ${why}`
    return status.code === 0
  })
  whole.catch(() => {})
  const why = () => serverSays(`The export was broken off: ${redact(saidBy(words))}`, words)
  const body = heldBack(whole, why)
  const began = new Promise<void>((resolve, reject) => {
    body.once('readable', resolve)
    body.once('error', reject)
  })
  pipeline(running.stdout, body, () => {
    void running.kill('SIGKILL').catch(() => {})
  })
  await began
  return body
}

/** Keeps the last bytes until the command has ended well and they say that it is all. */
function heldBack(whole: Promise<boolean>, why: () => Error): Transform {
  let held: Buffer = Buffer.alloc(0)
  return new Transform({
    readableHighWaterMark: 1024 ** 2,
    writableHighWaterMark: 1024 ** 2,
    transform(chunk: Buffer, _encoding, done) {
      if (chunk.length >= HELD) {
        if (held.length > 0) this.push(held)
        this.push(chunk.subarray(0, chunk.length - HELD))
        held = chunk.subarray(chunk.length - HELD)
        return done()
      }
      const all = Buffer.concat([held, chunk])
      const most = Math.max(0, all.length - HELD)
      if (most > 0) this.push(all.subarray(0, most))
      held = all.subarray(most)
      done()
    },
    flush(done) {
      whole.then(
        (well) => {
          const complete = held.includes(END)
          // All of what there is may be held back: then nothing has been sent.
          if (!well || !complete) return done(why())
          done(null, held)
        },
        (error: Error) => done(error)
      )
    },
  })
}

function saidBy(stderr: string): string {
  const lines = stderr.trim().split('\n')
  const line = lines.findLast((each) => /error/i.test(each)) ?? lines.at(-1)
  return line?.replace(/^mariadb-dump: /, '') || 'it ended before its time.'
}
