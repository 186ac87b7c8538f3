import { memberRoles, type MemberRole } from '#core/contracts/actor'
import { withMessages } from '#core/validation_messages'
import { email, line } from '#identity/public'
import vine from '@vinejs/vine'

const id = () => vine.number().positive().withoutDecimals()
const role = () => vine.enum(Object.keys(memberRoles) as MemberRole[])
/** Text of several lines, for people. */
const text = (max: number) => vine.string().trim().minLength(1).maxLength(max)

export const inviteForm = withMessages(vine.create({ email: email(), role: role() }))
export const invitationForm = withMessages(vine.create({ id: vine.string().uuid() }), {
  id: 'invitation',
})
export const memberForm = withMessages(vine.create({ id: id(), role: role() }), { id: 'member' })
export const memberIdForm = withMessages(vine.create({ id: id() }), { id: 'member' })
export const accountForm = withMessages(vine.create({ name: line(100) }))
export const suspensionForm = withMessages(vine.create({ reason: text(500) }))
export const noteForm = withMessages(vine.create({ text: text(5_000) }), { text: 'note' })
