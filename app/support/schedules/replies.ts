import { defineSchedule } from '#core/schedules/schedules'
import { processReplies } from '#mail/public'
import { receiveReply } from '#support/incoming'

export default defineSchedule({
  name: 'support.replies',
  label: 'Adds email replies to live support',
  every: 15,
  run: (signal) => processReplies(receiveReply, signal),
})
