import type { Actor, ActorAccount } from '#core/contracts/actor'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'
import type Person from '#identity/models/person'

interface Memberships {
  /**
   * The account that a customer acts for, and all that they are a member of, the founded one first.
   * @param accountId the account that was chosen in this session; not kept to where they left it
   */
  of(
    person: Person,
    accountId?: number
  ): Promise<{ account: ActorAccount | null; accounts: NonNullable<Actor['accounts']> }>
  /** Keeps the member's own default instance; null for none. */
  chooseInstance(
    actor: Actor,
    instanceId: number | null,
    trx: TransactionClientContract
  ): Promise<void>
}

/** Bound by the domain that has accounts. */
export const membershipProvider: Memberships = {
  of: async () => ({ account: null, accounts: [] }),
  chooseInstance: async () => {},
}

/** The person as requests carry it, acting for the account that was chosen or else for their own. */
export async function actorOf(person: Person, accountId?: number): Promise<Actor> {
  const { id, audience, name, email, role, title, colorScheme } = person
  const self = { id, audience, name, email, role, title, colorScheme }
  if (audience === 'staff') return { ...self, account: null }
  return { ...self, ...(await membershipProvider.of(person, accountId)) }
}
