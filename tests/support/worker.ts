import Operation from '#core/models/operation'
import { OperationRunner } from '#core/operations/runner'

/**
 * Runs operations in this process, as the worker does; returns how to stop. What other tests
 * ordered and never ran is given up first: it would take the room that this test counts on.
 */
export async function startWorker(): Promise<() => Promise<void>> {
  await Operation.query()
    .whereIn('status', ['queued', 'running'])
    .update({ status: 'failed', error: 'Given up by another test' })
  const runner = new OperationRunner()
  await runner.start()
  return () => runner.stop()
}
