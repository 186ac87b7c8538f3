import { closeLive } from '#core/live/live'
import { startMailDelivery } from '#core/mail/delivery'
import { OperationRunner } from '#core/operations/runner'
import { startAlertCalls } from '#core/monitoring/telling'
import { closeQueue } from '#core/queue'
import { startSchedules } from '#core/schedules/schedules'

/** Jobs, schedules and deliveries. */
export async function start() {
  const runner = new OperationRunner()
  await runner.start()
  await startMailDelivery()
  const stopCalls = await startAlertCalls()
  const stopSchedules = startSchedules()
  return async () => {
    await Promise.all([stopSchedules(), runner.stop()])
    await Promise.all([closeQueue(), closeLive()])
    await stopCalls()
  }
}
