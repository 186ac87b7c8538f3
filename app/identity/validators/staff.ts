import { email, line, title, inOurWords } from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

const role = () => vine.enum(['administrator', 'support'])
const id = () => vine.number().positive().withoutDecimals()

export const inviteForm = inOurWords(
  vine.create({
    name: line(100),
    email: email(),
    title: title(),
    role: role(),
  })
)

export const staffForm = inOurWords(
  vine.create({
    id: id(),
    name: line(100),
    title: title(),
    role: role(),
  })
)

export const staffIdForm = inOurWords(vine.create({ id: id() }))
