import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

export const noteValidator = withMessages(
  vine.create({ text: vine.string().trim().minLength(1).maxLength(500) }),
  { text: 'note' }
)
