import { withMessages } from '#core/validation_messages'
import vine from '@vinejs/vine'

const MAX_TEXT_LENGTH = 500
const id = () => vine.number().withoutDecimals().positive().max(2_147_483_647)
const text = () => vine.string().trim().minLength(1).maxLength(MAX_TEXT_LENGTH)
const labels = { text: 'greeting', id: 'greeting', server_instance_id: 'server instance' }

export const newGreetingValidator = withMessages(
  vine.create({ server_instance_id: id(), text: text() }),
  labels
)

export const changedGreetingValidator = withMessages(
  vine.create({ id: id(), text: text() }),
  labels
)

export const greetingIdValidator = withMessages(vine.create({ id: id() }), labels)
