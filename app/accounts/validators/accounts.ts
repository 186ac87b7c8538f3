import { memberRoles, type MemberRole } from '#core/contracts/actor'
import { email, inOurWords, line } from '#identity/public'
import vine from '@vinejs/vine'

const id = () => vine.number().positive().withoutDecimals()
const role = () => vine.enum(Object.keys(memberRoles) as MemberRole[])
/** Text of several lines, for people. */
const text = (max: number) => vine.string().trim().minLength(1).maxLength(max)

export const inviteForm = inOurWords(vine.create({ email: email(), role: role() }))
export const invitationForm = inOurWords(vine.create({ id: vine.string().uuid() }))
export const memberForm = inOurWords(vine.create({ id: id(), role: role() }))
export const memberIdForm = inOurWords(vine.create({ id: id() }))
export const accountForm = inOurWords(vine.create({ name: line(100) }))
export const suspensionForm = inOurWords(vine.create({ reason: text(500) }))
export const noteForm = inOurWords(vine.create({ text: text(5_000) }))
