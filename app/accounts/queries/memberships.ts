import type { ActorAccount, Actor } from '#core/contracts/actor'
import type { Person } from '#identity/public'
import Member from '#accounts/models/member'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Returns all accounts of a customer, and the one that they act for: the account selected in this session
 * if they are still a member, else their own, else the one that they joined first.
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

/** Saves the member's default instance in the current account; `null` for none. */
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

/** Clears a deleted instance as the default of all members. */
export async function clearInstanceAsDefault(
  instanceId: number,
  trx: TransactionClientContract
): Promise<void> {
  await Member.query({ client: trx })
    .where('defaultInstanceId', instanceId)
    .update({ defaultInstanceId: null })
}
