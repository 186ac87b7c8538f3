import Operation from '#core/models/operation'
import { OperationRunner } from '#core/operations/runner'
import env from '#start/env'

/**
 * Runs operations in this process, as the worker does. First marks all queued and running operations as failed.
 * @returns a function that stops the worker
 */
export async function startWorker(): Promise<() => Promise<void>> {
  await failLeftoverOperations()
  const runner = new OperationRunner()
  await runner.start()
  return () => runner.stop()
}

/**
 * Marks all queued and running operations as failed. A worker would run those that other tests left, and use resources
 * that a test expects to be free.
 */
export async function failLeftoverOperations(): Promise<void> {
  await Operation.query()
    .whereIn('status', ['queued', 'running'])
    .update({ status: 'failed', error: 'Given up by another test' })
}

/**
 * Makes this process act as the worker of a machine. The machine's Incus listens on this socket.
 * @returns a function that restores the previous settings
 */
export function actAsWorker(socketPath: string): () => void {
  const { BERTH_ROLE: role, INCUS_SOCKET: socket } = process.env
  process.env.BERTH_ROLE = 'worker'
  env.set('INCUS_SOCKET' as never, socketPath as never)
  return () => {
    process.env.BERTH_ROLE = role
    env.set('INCUS_SOCKET' as never, socket as never)
    // Assigning `undefined` to `process.env` would store the text "undefined" for later tests.
    if (socket === undefined) delete process.env.INCUS_SOCKET
  }
}
