import { forgetSecrets } from '#core/mail/forget'
import { defineSchedule } from '#core/schedules/schedules'

export default defineSchedule({
  name: 'mail.forget-secrets',
  label: 'Takes dead codes and links out of sent mail',
  every: 60,
  run: () => forgetSecrets(),
})
