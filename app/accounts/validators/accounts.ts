import { memberRoles, type MemberRole } from '#core/contracts/actor'
import { recordIdSchema } from '#core/field_rules'
import { withMessages } from '#core/validation_messages'
import { emailSchema, singleLineSchema } from '#identity/public'
import vine from '@vinejs/vine'

const role = () => vine.enum(Object.keys(memberRoles) as MemberRole[])
const text = (max: number) => vine.string().trim().minLength(1).maxLength(max)

export const memberInvitationValidator = withMessages(
  vine.create({ email: emailSchema(), role: role() })
)
export const invitationIdValidator = withMessages(vine.create({ id: vine.string().uuid() }), {
  id: 'invitation',
})
export const memberRoleValidator = withMessages(
  vine.create({ id: recordIdSchema(), role: role() }),
  {
    id: 'member',
  }
)
export const memberIdValidator = withMessages(vine.create({ id: recordIdSchema() }), {
  id: 'member',
})
export const accountNameValidator = withMessages(vine.create({ name: singleLineSchema(100) }))
export const accountSuspensionValidator = withMessages(vine.create({ reason: text(500) }))
export const accountNoteValidator = withMessages(vine.create({ text: text(5_000) }), {
  text: 'note',
})
