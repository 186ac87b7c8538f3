import type { Duplex } from 'node:stream'
import type { BackupJob, BackupResponseMessage } from '../../packages/backup/contract.js'
import { storeInstanceExport, runBackupJob } from './backup_job.js'
import { BackupError } from './restic.js'

const PROGRESS_INTERVAL_MS = 500
const MAX_JOB_BYTES = 65_536

/** If the client disconnects, the job is aborted. */
export async function serveBackupConnection(connection: Duplex): Promise<void> {
  const stop = new AbortController()
  const send = (message: BackupResponseMessage) => {
    if (connection.writable) connection.write(`${JSON.stringify(message)}\n`)
  }
  let [reportedAt, note] = [0, '']
  const onProgress = (text: string, share?: number) => {
    if (text === note && Date.now() - reportedAt < PROGRESS_INTERVAL_MS) return
    reportedAt = Date.now()
    note = text
    send({ note: text, share })
  }
  connection.on('error', () => {})
  connection.once('close', () => stop.abort())
  try {
    const job = await readJob(connection)
    const doing = { onProgress, signal: stop.signal }
    if (job.job === 'instance') send({ done: await storeInstanceExport(job, connection, doing) })
    else {
      // Keeps reading from the connection, because otherwise this process would not notice its end.
      connection.resume()
      send({ done: await runBackupJob(job, doing) })
    }
  } catch (error) {
    const { code, message } =
      error instanceof BackupError ? error : { code: 'refused', message: (error as Error).message }
    send({ refused: message, code })
  }
  if (connection.destroyed) return
  await new Promise<void>((done) => {
    connection.once('close', done)
    connection.end(done)
  })
}

async function readJob(connection: Duplex): Promise<BackupJob> {
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
      return JSON.parse(all.subarray(0, end).toString()) as BackupJob
    }
  }
  throw new BackupError('refused', 'The client sent no backup job')
}

function more(connection: Duplex): Promise<null> {
  return new Promise((done, fail) => {
    const over = () => fail(new BackupError('refused', 'The client sent no backup job'))
    if (connection.readableEnded || connection.destroyed) return over()
    connection
      .once('readable', () => done(null))
      .once('end', over)
      .once('close', over)
  })
}
