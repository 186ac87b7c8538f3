import { redactMailSecrets } from '#core/mail/redact_secrets'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'mail.forget-secrets',
  label: 'Removes expired codes and links from sent emails',
  every: 60,
  run: () => redactMailSecrets(),
})
