import { defineSchedule } from '#core/schedules/schedules'
import { syncAllSenders } from '#mail/actions/sync_senders'

export default defineSchedule({
  name: 'mail.sync',
  label: 'Keeps senders of mail as the console has them, and counts what they sent',
  every: 60,
  run: syncAllSenders,
})
