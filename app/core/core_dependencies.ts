import type { Actor } from '#core/contracts/actor'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * What core needs of domains above it, which bind it (decision 0001: upward needs are contracts
 * in core).
 */
export interface CoreDependencies {
  /** What this person cannot do, each with its reason; pages disable by it. */
  unavailableTo?(actor: Actor): Record<string, string>
  /** Addresses of those who run the place. */
  administrators?(trx?: TransactionClientContract): Promise<string[]>
  /** SQL of an account's name, and of all that it is found by, where its id stands in this column. */
  customers?: { name(column: string): string; words(column: string): string }
}

export const coreDependencies: CoreDependencies = {}
