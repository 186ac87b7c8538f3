import { deliverDueMails } from '#core/mail/outbox_delivery'
import { MAILS_DUE_TOPIC } from '#core/mail/send_mail'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'mail.deliver',
  label: 'Sends emails of the console',
  every: 2,
  wakeTopic: MAILS_DUE_TOPIC,
  run: deliverDueMails,
})
