import type { Actor, ActorAccount } from '#core/contracts/actor'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type Person from '#identity/models/person'

interface Memberships {
  /**
   * Returns the account that a customer acts for, and all accounts of which they are a member. Their own account
   * comes first.
   * @param accountId the account selected in this session, ignored if the person is no longer a member
   */
  of(
    person: Person,
    accountId?: number
  ): Promise<{ account: ActorAccount | null; accounts: NonNullable<Actor['accounts']> }>
  /** `null`: no default instance. */
  chooseInstance(
    actor: Actor,
    instanceId: number | null,
    trx: TransactionClientContract
  ): Promise<void>
}

/** The module `accounts` provides the implementation. */
export const membershipProvider: Memberships = {
  of: async () => ({ account: null, accounts: [] }),
  chooseInstance: async () => {},
}

/** Customers act for the selected account, otherwise for their own, otherwise for the first that they joined. */
export async function actorOf(person: Person, accountId?: number): Promise<Actor> {
  const { id, audience, name, email, role, title, colorScheme } = person
  const self = { id, audience, name, email, role, title, colorScheme }
  if (audience === 'staff') return { ...self, account: null }
  return { ...self, ...(await membershipProvider.of(person, accountId)) }
}
