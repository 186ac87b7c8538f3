import { audit } from '#core/audit/audit'
import type { Actor, MemberRole } from '#core/contracts/actor'
import { accountIdOf } from '#core/contracts/actor'
import { publish } from '#core/live/live_events'
import { sendMail } from '#core/mail/send_mail'
import { parseRecordUuid } from '#core/record_id'
import { conflict, invalid, notFound } from '#core/app_error'
import { accessTopic, Person } from '#identity/public'
import { lockAccountRow } from '#accounts/actions/lock_account_row'
import { invitationExpired, lastOwnerMustStay, wrongInvitee } from '#accounts/errors'
import { invitationMail } from '#accounts/mails'
import Account from '#accounts/models/account'
import Invitation from '#accounts/models/invitation'
import Member from '#accounts/models/member'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

export const INVITATION_VALIDITY_DAYS = 7

/** An account that invites more strangers is probably sending spam. */
const MAX_OPEN_INVITATIONS = 50

interface By {
  actor: Actor
  ip: string
}

/** Emails an invitation. Replaces an earlier one to the same email address. */
export async function inviteMember(
  { email, role }: { email: string; role: MemberRole },
  by: By
): Promise<Invitation> {
  return changeMembership(by, async (account, trx) => {
    const person = await Person.findByAddress('customer', email, trx)
    if (person && (await memberOf(account.id, person.id, trx))) {
      throw invalid({ email: `${email} is already a member.` })
    }
    const { id: accountId } = account
    // No page shows expired invitations, so they must not count towards the limit.
    await Invitation.query({ client: trx })
      .where({ accountId })
      .where('expiresAt', '<=', DateTime.utc().toSQL()!)
      .delete()
    const open = await Invitation.query({ client: trx }).where({ accountId })
    const known = open.find((invitation) => invitation.email === email)
    if (!known && open.length >= MAX_OPEN_INVITATIONS) {
      throw conflict(`${MAX_OPEN_INVITATIONS} invitations are open. Revoke some of them first.`)
    }
    await known?.useTransaction(trx).delete()
    const invitation = await Invitation.create(
      {
        id: randomUUID(),
        accountId,
        email,
        role,
        invitedBy: by.actor.id,
        expiresAt: DateTime.utc().plus({ days: INVITATION_VALIDITY_DAYS }),
      },
      { client: trx }
    )
    const { id } = invitation
    const mailData = { id, account: account.name, inviter: by.actor.name, role }
    await sendMail(invitationMail(email, mailData), trx)
    await auditMemberChange(by, account, 'member.invite', { email, role }, trx)
    return invitation
  })
}

/** @throws 404 if the invitation does not belong to the account */
export async function withdrawInvitation(id: string, by: By): Promise<Invitation> {
  return changeMembership(by, async (account, trx) => {
    const invitation = await Invitation.query({ client: trx })
      .where({ id, accountId: account.id })
      .first()
    if (!invitation) throw notFound('invitation')
    await invitation.useTransaction(trx).delete()
    await auditMemberChange(by, account, 'member.withdraw', { email: invitation.email }, trx)
    return invitation
  })
}

/** @throws 404 if the invitation has expired or does not exist, 403 if it was sent to another email address */
export async function getAcceptableInvitation(
  id: unknown,
  { email }: Pick<Actor, 'email'>
): Promise<Invitation> {
  const key = parseRecordUuid(id)
  const invitation = key
    ? await Invitation.query()
        .where('id', key)
        .where('expiresAt', '>', DateTime.utc().toSQL()!)
        .preload('account')
        .preload('inviter')
        .first()
    : null
  if (!invitation) throw invitationExpired()
  if (invitation.email !== email.toLowerCase()) throw wrongInvitee()
  return invitation
}

export async function acceptInvitation(id: unknown, { actor, ip }: By): Promise<Account> {
  const { accountId } = await getAcceptableInvitation(id, actor)
  return db.transaction(async (trx) => {
    const account = await lockAccountRow(accountId, trx)
    const used = await Invitation.query({ client: trx }).where('id', String(id)).first()
    if (!used) throw invitationExpired()
    await used.useTransaction(trx).delete()
    if (!(await memberOf(accountId, actor.id, trx))) {
      const { role } = used
      await Member.create({ accountId, personId: actor.id, role }, { client: trx })
      await auditMemberChange({ actor, ip }, account, 'member.join', { role }, trx)
    }
    return account
  })
}

export async function declineInvitation(id: unknown, { actor, ip }: By): Promise<void> {
  const invitation = await getAcceptableInvitation(id, actor)
  await db.transaction(async (trx) => {
    await invitation.useTransaction(trx).delete()
    await auditMemberChange({ actor, ip }, invitation.account, 'member.decline', {}, trx)
  })
}

/** The member's next request uses the new role. Open terminals and pages check the access again at once. */
export async function changeMemberRole(
  personId: number,
  role: MemberRole,
  by: By
): Promise<Person> {
  return changeOneMember(personId, by, async (member, account, trx) => {
    const before = member.role
    if (before === 'owner' && role !== 'owner') await assertOwnerRemains(member, trx)
    await Member.query({ client: trx }).where({ accountId: account.id, personId }).update({ role })
    await auditMemberChange(
      by,
      account,
      'member.update',
      { email: member.person.email, before, role },
      trx
    )
  })
}

/** Members can also remove themselves. Nobody can remove the last owner. */
export async function removeMember(personId: number, by: By): Promise<Person> {
  return changeOneMember(personId, by, async (member, account, trx) => {
    if (member.role === 'owner') await assertOwnerRemains(member, trx)
    await Member.query({ client: trx }).where({ accountId: account.id, personId }).delete()
    const action = personId === by.actor.id ? 'member.leave' : 'member.remove'
    await auditMemberChange(by, account, action, { email: member.person.email }, trx)
  })
}

export async function renameAccount(name: string, by: By): Promise<void> {
  return changeMembership(by, async (account, trx) => {
    const before = account.name
    await account.useTransaction(trx).merge({ name }).save()
    await auditMemberChange(by, account, 'account.rename', { before, name }, trx)
  })
}

/** Runs one change of an account's members at a time. Otherwise two changes could remove the last two owners. */
function changeMembership<Result>(
  { actor }: By,
  run: (account: Account, trx: TransactionClientContract) => Promise<Result>
): Promise<Result> {
  return db.transaction(async (trx) => run(await lockAccountRow(accountIdOf(actor), trx), trx))
}

async function changeOneMember(
  personId: number,
  by: By,
  run: (member: Member, account: Account, trx: TransactionClientContract) => Promise<void>
): Promise<Person> {
  return changeMembership(by, async (account, trx) => {
    const member = await memberOf(account.id, personId, trx)
    if (!member) throw notFound('member')
    await run(member, account, trx)
    // On this event, open terminals and other connections check the member's access again.
    await publish(accessTopic(personId), { trx })
    return member.person
  })
}

function memberOf(accountId: number, personId: number, trx: TransactionClientContract) {
  return Member.query({ client: trx }).where({ accountId, personId }).preload('person').first()
}

async function assertOwnerRemains({ accountId, personId }: Member, trx: TransactionClientContract) {
  const other = await Member.query({ client: trx })
    .where({ accountId, role: 'owner' })
    .whereNot('personId', personId)
    .whereHas('person', (person) => person.whereNull('disabledAt'))
    .first()
  if (!other) throw lastOwnerMustStay()
}

function auditMemberChange(
  { actor, ip }: By,
  { id, name }: Pick<Account, 'id' | 'name'>,
  action: string,
  after: Record<string, unknown>,
  trx: TransactionClientContract
): Promise<void> {
  const subject = { type: 'account' as const, id, label: name }
  return audit({ actor, accountId: id, action, subject, after, ip }, trx)
}
