import { forEachLine } from '#packages/machine/line_splitter'
import type { BackupJob, BackupJobResult, BackupResponseMessage } from './contract.js'
import { addAbortListener, once } from 'node:events'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** Why a job was not done; `code` as `BackupResponseMessage` names them, `gone` where its program ended without a word. */
export class BackupRequestError extends Error {
  constructor(
    readonly code: string,
    message: string
  ) {
    super(message)
  }
}

export interface BackupRequestOptions {
  /** Told how far it is: words, and a share from 0 to 1 where it is known. */
  onProgress(note: string, share?: number): void
  /** Ends the job. */
  signal?: AbortSignal
  /** What follows the line of the job. */
  body?: Readable
}

function parseMessage(line: string): BackupResponseMessage {
  try {
    const message: unknown = JSON.parse(line)
    if (typeof message === 'object' && message !== null) return message as BackupResponseMessage
  } catch {
    // Reported below.
  }
  throw new BackupRequestError('refused', 'The backup program sent an answer that cannot be read.')
}

/**
 * Has the program behind a socket do a job. Where the connection ends, so does the job, and nothing of it counts.
 * @throws BackupRequestError
 */
export async function requestBackupJob(
  socketPath: string,
  job: BackupJob,
  { onProgress, signal, body }: BackupRequestOptions
): Promise<BackupJobResult> {
  const socket = connect({ path: socketPath })
  const end = () => socket.destroy()
  const watching = signal && addAbortListener(signal, end)
  try {
    await once(socket, 'connect').catch((error: Error) => {
      throw new BackupRequestError(
        'gone',
        `The backup program on this machine cannot be reached: ${error.message}`
      )
    })
    let last: BackupResponseMessage | undefined
    const heard = forEachLine(socket, (line) => {
      last = parseMessage(line)
      if ('note' in last) onProgress(last.note, last.share)
    })
    socket.write(`${JSON.stringify(job)}\n`)
    if (body) {
      await pipeline(body, socket, { end: false }).catch((error: Error) => {
        // Where the connection broke, the program's last message says why.
        if (socket.destroyed) return
        // The program would wait for the rest of the data until the connection ends, which it does below.
        heard.catch(() => {})
        throw new BackupRequestError('gone', `The data to back up was cut off: ${error.message}`)
      })
    }
    await heard
    if (last && 'done' in last) return last.done
    if (last && 'refused' in last) throw new BackupRequestError(last.code, last.refused)
    throw new BackupRequestError('gone', 'The backup was interrupted.')
  } finally {
    watching?.[Symbol.dispose]()
    socket.destroy()
  }
}
