import vine from '@vinejs/vine'

export const noteForm = vine.create({
  text: vine.string().trim().minLength(1).maxLength(500),
})
