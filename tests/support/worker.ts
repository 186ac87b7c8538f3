import Operation from '#core/models/operation'
import { OperationRunner } from '#core/operations/runner'

/** Runs operations in this process, as the worker does; returns how to stop. */
export async function startWorker(): Promise<() => Promise<void>> {
  await giveUpLeftovers()
  const runner = new OperationRunner()
  await runner.start()
  return () => runner.stop()
}

/**
 * Gives up what other tests ordered and never ran: a worker would take it up, and with it the room
 * that a test counts on.
 */
export async function giveUpLeftovers(): Promise<void> {
  await Operation.query()
    .whereIn('status', ['queued', 'running'])
    .update({ status: 'failed', error: 'Given up by another test' })
}
