import { defineSchedule } from '#core/schedules/schedules'
import { processEmailReplies } from '#mail/public'
import { receiveEmailReply } from '#support/receive_email_reply'

export default defineSchedule({
  name: 'support.replies',
  label: 'Adds email replies to live support',
  every: 15,
  run: (signal) => processEmailReplies(receiveEmailReply, signal),
})
