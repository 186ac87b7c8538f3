import { inOurWords } from '#core/form_words'
import { email, line, title } from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

const role = () => vine.enum(['administrator', 'support'])
const id = () => vine.number().positive().withoutDecimals()
const words = { id: 'person' }

export const inviteForm = inOurWords(
  vine.create({
    name: line(100),
    email: email(),
    title: title(),
    role: role(),
  }),
  words
)

export const staffForm = inOurWords(
  vine.create({
    id: id(),
    name: line(100),
    title: title(),
    role: role(),
  }),
  words
)

export const staffIdForm = inOurWords(vine.create({ id: id() }), words)
