import { defineSchedule } from '#core/schedules/schedules'
import { mailUnreadMessages } from '#support/actions/mail_unread_messages'

export default defineSchedule({
  name: 'support.mail-unread',
  label: 'Emails customers the support messages that they have not read',
  every: 60,
  run: mailUnreadMessages,
})
