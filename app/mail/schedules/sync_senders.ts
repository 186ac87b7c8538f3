import { defineSchedule } from '#core/schedules/schedules'
import { syncAllSenders } from '#mail/actions/sync_senders'

export default defineSchedule({
  name: 'mail.sync',
  label: 'Updates senders in the mail service and counts their emails',
  every: 60,
  run: syncAllSenders,
})
