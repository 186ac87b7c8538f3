import { defineSchedule } from '#core/schedules/schedules'
import { saveAndApplyGreeting } from '#greetings/actions/apply_greeting'
import Greeting from '#greetings/models/greeting'
import { DateTime } from 'luxon'

const RETRY_AFTER_MINUTES = 10

/**
 * Repeats the operations of greetings that have been `failed` or `deleting` for ten minutes, and whose instance is
 * active.
 */
export async function retryGreetings(now = DateTime.utc()): Promise<void> {
  const waiting = await Greeting.query()
    .whereIn('status', ['failed', 'deleting'])
    .where('updated_at', '<', now.minus({ minutes: RETRY_AFTER_MINUTES }).toSQL()!)
    .whereHas('instance', (instance) => void instance.where('status', 'active'))
  for (const greeting of waiting) {
    const status = greeting.status === 'failed' ? 'writing' : greeting.status
    await saveAndApplyGreeting(greeting.merge({ status, updatedAt: now }))
  }
}

export default defineSchedule({
  name: 'greetings.retry',
  label: 'Write greetings again that failed',
  every: 300,
  run: () => retryGreetings(),
})
