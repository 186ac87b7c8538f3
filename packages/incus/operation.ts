import { setTimeout as sleep } from 'node:timers/promises'
import { IncusError, isIncusError } from './errors.ts'
import type { Transport } from './transport.ts'

export interface OperationState {
  id: string
  class: 'task' | 'websocket' | 'token'
  description: string
  created_at: string
  updated_at: string
  status: string
  /** Status code of Incus: 103 running, 105 pending, 200 success, 400 failure, 401 cancelled. */
  status_code: number
  resources: Record<string, string[]> | null
  metadata: Record<string, unknown> | null
  may_cancel: boolean
  err: string
}

const MAX_WAIT_SECONDS = 25
const RETRY_DELAY_MS = 500

/**
 * A long-running operation on the server. It continues if this process or its connection ends. To load it again later,
 * store its `id` and call `incus.operation(id)`.
 */
export class Operation {
  readonly id: string
  readonly #transport: Transport

  constructor(transport: Transport, idOrPath: string) {
    this.#transport = transport
    this.id = idOrPath.split('?')[0]!.split('/').pop()!
  }

  /** @throws IncusError `not_found` after Incus has dropped the operation, some seconds after its end */
  async state(): Promise<OperationState> {
    const { metadata } = await this.#transport.request<OperationState>('GET', this.#path)
    return metadata
  }

  /**
   * Waits until the operation ends, and returns its final state. If the connection breaks, connects again, until
   * `timeout` seconds have passed.
   * @throws IncusError `timed_out` or `unreachable` (the operation continues), `cancelled`, or the operation's error
   */
  async wait(timeout = 300, signal?: AbortSignal): Promise<OperationState> {
    const deadline = Date.now() + timeout * 1000
    let broken: IncusError | null = null
    while (Date.now() < deadline) {
      const left = Math.max(1, Math.ceil((deadline - Date.now()) / 1000))
      const slice = Math.min(MAX_WAIT_SECONDS, left)
      try {
        const { metadata } = await this.#transport.request<OperationState>(
          'GET',
          `${this.#path}/wait`,
          { query: { timeout: slice }, timeout: slice + 20, signal }
        )
        broken = null
        if (metadata.status_code === 200) return metadata
        if (metadata.status_code >= 400)
          throw IncusError.fromAnswer(metadata.status_code, metadata.err || metadata.status)
      } catch (error) {
        if (isEndOfSlice(error)) continue
        if (!isIncusError(error, 'unreachable')) throw error
        broken = error
        await sleep(RETRY_DELAY_MS, undefined, { signal }).catch(() => {
          throw IncusError.cancelled()
        })
      }
    }
    throw broken ?? IncusError.timedOut(`Operation ${this.id}`, timeout)
  }

  get #path(): string {
    return `/1.0/operations/${encodeURIComponent(this.id)}`
  }
}

/**
 * Returns whether the error only means that one wait request reached the server's time limit. The operation itself
 * continues.
 */
function isEndOfSlice(error: unknown): boolean {
  return isIncusError(error) && error.message.includes('context deadline exceeded')
}

/** @throws IncusError if `path` is null, because the response was synchronous. That is a bug in the caller */
export function operationFromPath(transport: Transport, path: string | null): Operation {
  if (!path) throw new IncusError('failed', 0, 'Incus answered without an operation')
  return new Operation(transport, path)
}
