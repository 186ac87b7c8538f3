import type { Duplex } from 'node:stream'
import type { Job, BackupMessage } from '../../packages/backup/contract.js'
import { backUpInstance, runBackupJob } from './backup.js'
import { BackupError } from './restic.js'

/** Milliseconds between two words on how far it is. */
const PROGRESS_INTERVAL_MS = 500
const MAX_JOB_BYTES = 65_536

/** Does the one job that the other end asks for, telling how far it is. It ends with the connection. */
export async function serveBackup(connection: Duplex): Promise<void> {
  const stop = new AbortController()
  const say = (told: BackupMessage) => {
    if (connection.writable) connection.write(`${JSON.stringify(told)}\n`)
  }
  let [told, note] = [0, '']
  const tell = (words: string, share?: number) => {
    if (words === note && Date.now() - told < PROGRESS_INTERVAL_MS) return
    told = Date.now()
    note = words
    say({ note: words, share })
  }
  connection.on('error', () => {})
  connection.once('close', () => stop.abort())
  try {
    const job = await readJob(connection)
    const doing = { tell, signal: stop.signal }
    if (job.job === 'instance') say({ done: await backUpInstance(job, connection, doing) })
    else {
      // Only so is its end noticed.
      connection.resume()
      say({ done: await runBackupJob(job, doing) })
    }
  } catch (error) {
    const { code, message } =
      error instanceof BackupError ? error : { code: 'refused', message: (error as Error).message }
    say({ refused: message, code })
  }
  if (connection.destroyed) return
  await new Promise<void>((done) => {
    connection.once('close', done)
    connection.end(done)
  })
}

/** The first line; what follows it stays in the stream. */
async function readJob(connection: Duplex): Promise<Job> {
  const chunks: Buffer[] = []
  for (let size = 0; size < MAX_JOB_BYTES;) {
    const chunk = (connection.read() as Buffer | null) ?? (await more(connection))
    if (!chunk) continue
    chunks.push(chunk)
    size += chunk.length
    const all = Buffer.concat(chunks)
    const end = all.indexOf('\n')
    if (end >= 0) {
      if (end + 1 < all.length) connection.unshift(all.subarray(end + 1))
      return JSON.parse(all.subarray(0, end).toString()) as Job
    }
  }
  throw new BackupError('refused', 'No job was asked for')
}

function more(connection: Duplex): Promise<null> {
  return new Promise((done, fail) => {
    const over = () => fail(new BackupError('refused', 'No job was asked for'))
    if (connection.readableEnded || connection.destroyed) return over()
    connection
      .once('readable', () => done(null))
      .once('end', over)
      .once('close', over)
  })
}
