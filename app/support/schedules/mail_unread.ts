import { defineSchedule } from '#core/schedules/schedules'
import { mailUnread } from '#support/actions/mail_unread'

export default defineSchedule({
  name: 'support.mail-unread',
  label: 'Mails customers what they have not read of live support',
  every: 60,
  run: mailUnread,
})
