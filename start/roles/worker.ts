import { closeLive } from '#core/live/live'
import { startMailDelivery } from '#core/mail/delivery'
import { OperationRunner } from '#core/operations/runner'
import { closeQueue } from '#core/queue'
import { startChores } from '#core/schedule'

/** Jobs, schedules and deliveries. */
export async function start() {
  const runner = new OperationRunner()
  await runner.start()
  await startMailDelivery()
  const stopChores = startChores()
  return async () => {
    await Promise.all([stopChores(), runner.stop()])
    await Promise.all([closeQueue(), closeLive()])
  }
}
