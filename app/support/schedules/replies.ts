import { defineSchedule } from '#core/schedules/schedules'
import { processReplies } from '#mail/public'
import { receiveReply } from '#support/incoming'

export default defineSchedule({
  name: 'support.replies',
  label: 'Takes answers by mail into live support',
  every: 15,
  run: (signal) => processReplies(receiveReply, signal),
})
