import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

/** `until`: when the person loaded the page. Later failures stay visible. */
export const dismissFailuresValidator = withMessages(
  vine.create({ until: vine.date({ formats: { utc: true } }) }),
  { 'until.invalid': 'Reload the page and try again.' }
)
