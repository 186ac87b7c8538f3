import { forEachLine } from '#packages/machine/line_splitter'
import type { BackupJob, BackupJobResult, BackupResponseMessage } from './contract.js'
import { addAbortListener, once } from 'node:events'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * A backup job failed. `code` is a code of `BackupResponseMessage`, or `gone` if the connection failed, or ended before
 * the program sent a result.
 */
export class BackupRequestError extends Error {
  constructor(
    readonly code: string,
    message: string
  ) {
    super(message)
  }
}

export interface BackupRequestOptions {
  /** `share`: completed part of the job, from 0 to 1. */
  onProgress(note: string, share?: number): void
  signal?: AbortSignal
  /** Data to send after the job's JSON line, such as the export of an instance. */
  body?: Readable
}

function parseMessage(line: string): BackupResponseMessage {
  try {
    const message: unknown = JSON.parse(line)
    if (typeof message === 'object' && message !== null) return message as BackupResponseMessage
  } catch {}
  throw new BackupRequestError('refused', 'The backup program sent an answer that cannot be read.')
}

/**
 * If the connection ends, the backup program cancels the job and discards its result.
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
    await once(socket, 'connect', { signal }).catch((error: Error) => {
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
        // If the program closed the connection, its last message gives the reason (see below).
        if (socket.destroyed) return
        // Prevents an unhandled rejection: the connection is closed below, while `heard` still waits for the program's
        // response.
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
