import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** Dismisses failures that happened before the sender's page was loaded. */
export const dismissFailuresValidator = withMessages(
  vine.create({ until: vine.date({ formats: { utc: true } }) }),
  { 'until.invalid': 'Reload the page and try again.' }
)
