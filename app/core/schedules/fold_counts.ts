import { foldCounts } from '#core/counted_list'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'lists.fold',
  label: 'Adds up what changed in lists that are counted',
  every: 1,
  run: foldCounts,
})
