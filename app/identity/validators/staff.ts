import { withMessages } from '#core/validation_messages'
import { email, line, title } from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

const role = () => vine.enum(['administrator', 'support'])
const id = () => vine.number().positive().withoutDecimals()
const words = { id: 'person' }

export const inviteForm = withMessages(
  vine.create({
    name: line(100),
    email: email(),
    title: title(),
    role: role(),
  }),
  words
)

export const staffForm = withMessages(
  vine.create({
    id: id(),
    name: line(100),
    title: title(),
    role: role(),
  }),
  words
)

export const staffIdForm = withMessages(vine.create({ id: id() }), words)
