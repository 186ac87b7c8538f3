import { recordIdSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { emailSchema, singleLineSchema, jobTitleSchema } from '#identity/validators/sign_in'
import vine from '@vinejs/vine'

const role = () => vine.enum(['administrator', 'support'])
const labels = { id: 'person' }

export const staffInvitationValidator = withMessages(
  vine.create({
    name: singleLineSchema(100),
    email: emailSchema(),
    title: jobTitleSchema(),
    role: role(),
  }),
  labels
)

export const staffUpdateValidator = withMessages(
  vine.create({
    id: recordIdSchema(),
    name: singleLineSchema(100),
    title: jobTitleSchema(),
    role: role(),
  }),
  labels
)

export const staffIdValidator = withMessages(vine.create({ id: recordIdSchema() }), labels)
