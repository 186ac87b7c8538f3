import { forgetSecrets } from '#core/mail/forget'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'mail.forget-secrets',
  label: 'Removes expired codes and links from sent emails',
  every: 60,
  run: () => forgetSecrets(),
})
