import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** Validates the time until which failures are dismissed. Failures after the person loaded the page stay visible. */
export const dismissFailuresValidator = withMessages(
  vine.create({ until: vine.date({ formats: { utc: true } }) }),
  { 'until.invalid': 'Reload the page and try again.' }
)
