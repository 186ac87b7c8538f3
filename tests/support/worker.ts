import Operation from '#core/models/operation'
import { OperationRunner } from '#core/operations/runner'
import env from '#start/env'

/** Runs operations in this process, as the worker does; returns how to stop. */
export async function startWorker(): Promise<() => Promise<void>> {
  await failLeftoverOperations()
  const runner = new OperationRunner()
  await runner.start()
  return () => runner.stop()
}

/**
 * Gives up what other tests ordered and never ran: a worker would take it up, and with it the room
 * that a test counts on.
 */
export async function failLeftoverOperations(): Promise<void> {
  await Operation.query()
    .whereIn('status', ['queued', 'running'])
    .update({ status: 'failed', error: 'Given up by another test' })
}

/** Has this process take itself for the worker of a machine whose Incus is behind a socket; returns how to undo it. */
export function actAsWorker(socketPath: string): () => void {
  const { BERTH_ROLE: role, INCUS_SOCKET: socket } = process.env
  process.env.BERTH_ROLE = 'worker'
  env.set('INCUS_SOCKET' as never, socketPath as never)
  return () => {
    process.env.BERTH_ROLE = role
    env.set('INCUS_SOCKET' as never, socket as never)
    // What is set to nothing would be the word "undefined" to the next test.
    if (socket === undefined) delete process.env.INCUS_SOCKET
  }
}
