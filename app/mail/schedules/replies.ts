import { defineSchedule } from '#core/schedules/schedules'
import { takeReplies } from '#mail/actions/take_replies'

export default defineSchedule({
  name: 'mail.replies',
  label: 'Takes answers by mail into live support',
  every: 15,
  run: takeReplies,
})
