import type { ActorAccount, Actor } from '#core/contracts/actor'
import type { Person } from '#identity/public'
import Member from '#accounts/models/member'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * The account that a customer acts for: the one chosen in this session as long as they are a member
 * of it, else the one that they founded, else the one that they joined first; and all of them.
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

/** Keeps the member's own default instance in the account that they act for; null for none. */
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

/** An instance that is gone is nobody's default any more. */
export async function clearInstanceAsDefault(
  instanceId: number,
  trx: TransactionClientContract
): Promise<void> {
  await Member.query({ client: trx })
    .where('defaultInstanceId', instanceId)
    .update({ defaultInstanceId: null })
}
