import { email, line, inOurWords } from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

const role = () => vine.enum(['administrator', 'support'])
const id = () => vine.number().positive().withoutDecimals()

export const inviteForm = inOurWords(
  vine.create({
    name: line(100),
    email: email(),
    title: line(100).optional().nullable(),
    role: role(),
  })
)

export const staffForm = inOurWords(
  vine.create({
    id: id(),
    name: line(100),
    title: line(100).optional().nullable(),
    role: role(),
  })
)

export const staffIdForm = inOurWords(vine.create({ id: id() }))
