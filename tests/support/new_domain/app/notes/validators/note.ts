import { inOurWords } from '#core/form_words'
import vine from '@vinejs/vine'

export const noteForm = inOurWords(
  vine.create({ text: vine.string().trim().minLength(1).maxLength(500) }),
  { text: 'note' }
)
