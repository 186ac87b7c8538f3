import { defineSchedule } from '#core/schedules/schedules'
import { deleteOldSamples, createDayTables, rollUpHour } from '#metrics/samples'
import { DateTime } from 'luxon'

const DAYS_AHEAD = 3

export async function maintainDayTables(now = DateTime.utc()): Promise<void> {
  await deleteOldSamples(now)
  for (let days = 0; days <= DAYS_AHEAD; days++) await createDayTables(now.plus({ days }))
  await rollUpHour(now.minus({ hours: 1 }))
}

export default defineSchedule({
  name: 'metrics.days',
  label: 'Creates tables for new measurements and deletes the oldest',
  every: 1_800,
  run: () => maintainDayTables(),
})
