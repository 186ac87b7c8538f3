import { recordIdSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { emailSchema, singleLineSchema, titleSchema } from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

const role = () => vine.enum(['administrator', 'support'])
const labels = { id: 'person' }

export const staffInvitationValidator = withMessages(
  vine.create({
    name: singleLineSchema(100),
    email: emailSchema(),
    title: titleSchema(),
    role: role(),
  }),
  labels
)

export const staffUpdateValidator = withMessages(
  vine.create({
    id: recordIdSchema(),
    name: singleLineSchema(100),
    title: titleSchema(),
    role: role(),
  }),
  labels
)

export const staffIdValidator = withMessages(vine.create({ id: recordIdSchema() }), labels)
