import { type Actor, accountIdOf, memberRoles } from '#core/contracts/actor'
import { denied, ALLOWED } from '#core/permission'
import type { MembersPage } from '#accounts/transformers/page_props'
import { lastOwnerMustStay } from '#accounts/errors'
import Invitation from '#accounts/models/invitation'
import Member from '#accounts/models/member'
import { checkAbility } from '#identity/public'
import { DateTime } from 'luxon'

export async function loadMembersPage(actor: Actor): Promise<MembersPage> {
  const accountId = accountIdOf(actor)
  const now = DateTime.utc().toSQL()!
  const [members, invitations, invited] = await Promise.all([
    Member.query().where({ accountId }).preload('person').orderBy('createdAt').orderBy('personId'),
    Invitation.query().where({ accountId }).where('expiresAt', '>', now).orderBy('createdAt'),
    Invitation.query()
      .where('email', actor.email.toLowerCase())
      .where('expiresAt', '>', now)
      .preload('account')
      .preload('inviter'),
  ])
  const allowed = checkAbility(actor, 'members.manage')
  const mayManage = allowed === true ? ALLOWED : denied(allowed)
  const owners = members.filter(({ role, person }) => role === 'owner' && !person.disabledAt)
  const { id, name, role } = actor.account!
  return {
    account: { id, name, role },
    roles: memberRoles,
    members: members.map((member) => {
      const last = owners.length === 1 && owners[0].personId === member.personId
      const removal = last ? denied(lastOwnerMustStay().message) : ALLOWED
      const isSelf = member.personId === actor.id
      return {
        id: member.personId,
        name: member.person.name,
        email: member.person.email,
        role: member.role,
        since: member.createdAt.toISO()!,
        is_self: isSelf,
        can: {
          changeRole: mayManage.allowed ? removal : mayManage,
          remove: mayManage.allowed || isSelf ? removal : mayManage,
        },
      }
    }),
    invitations: invitations.map((invitation) => ({
      id: invitation.id,
      email: invitation.email,
      role: invitation.role,
      expires_at: invitation.expiresAt.toISO()!,
    })),
    invited: invited.map((invitation) => ({
      id: invitation.id,
      account: invitation.account.name,
      inviter: invitation.inviter?.name ?? 'An owner',
      role: invitation.role,
    })),
    canManage: mayManage,
  }
}
