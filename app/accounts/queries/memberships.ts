import type { ActorAccount, Actor, MemberRole } from '#core/contracts/actor'
import type { Person } from '#identity/public'
import Member from '#accounts/models/member'
import db from '@adonisjs/lucid/services/db'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * The current account is the one selected in this session, or else the customer's own, or else the first that they
 * joined.
 */
export async function loadActorAccounts(
  { id }: Person,
  selectedAccountId?: number
): Promise<{ account: ActorAccount | null; accounts: NonNullable<Actor['accounts']> }> {
  const members = await Member.query()
    .where('personId', id)
    .preload('account')
    .orderByRaw('account_id = person_id desc, created_at, account_id')
  const acting = members.find(({ accountId }) => accountId === selectedAccountId) ?? members[0]
  return {
    account: acting ? actingAccount(acting) : null,
    accounts: members.map(({ role, account }) => ({ id: account.id, name: account.name, role })),
  }
}

function actingAccount({ role, defaultInstanceId, account }: Member): ActorAccount {
  const { id, name, status, statusReason } = account
  return { id, name, role, status, statusReason, defaultInstanceId }
}

/** @param instanceId the member's default instance in the current account; `null` removes it */
export async function saveDefaultInstance(
  { id, account }: Actor,
  instanceId: number | null,
  trx: TransactionClientContract
): Promise<void> {
  if (!account) return
  await Member.query({ client: trx })
    .where({ accountId: account.id, personId: id })
    .update({ defaultInstanceId: instanceId })
}

export async function clearInstanceAsDefault(
  instanceId: number,
  trx: TransactionClientContract
): Promise<void> {
  await Member.query({ client: trx })
    .where('defaultInstanceId', instanceId)
    .update({ defaultInstanceId: null })
}

export async function listMemberEmails(
  accountIds: number[],
  roles: MemberRole[],
  trx?: TransactionClientContract
): Promise<Map<number, string[]>> {
  const rows = await (trx ?? db)
    .from('members')
    .join('people', 'people.id', 'person_id')
    .whereIn('account_id', accountIds)
    .whereIn('members.role', roles)
    .whereNull('disabled_at')
    .orderBy(['members.created_at', 'person_id'])
    .select('account_id', 'email')
  const emailsByAccount = new Map<number, string[]>(accountIds.map((id) => [id, []]))
  for (const { account_id: id, email } of rows) emailsByAccount.get(id)!.push(email)
  return emailsByAccount
}
