import { applyListCountChanges } from '#core/precounted_list'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'lists.fold',
  label: 'Updates the row counts of lists',
  every: 1,
  run: applyListCountChanges,
})
