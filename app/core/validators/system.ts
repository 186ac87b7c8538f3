import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** Operations that ended later are not on the sender's page yet. */
export const dismissFailuresValidator = withMessages(
  vine.create({ until: vine.date({ formats: { utc: true } }) }),
  { 'until.invalid': 'Reload the page and try again.' }
)
