import type { Actor } from '#core/contracts/actor'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Functions that modules bind, because core must not import modules (decision 0001). */
export interface CoreDependencies {
  /** Returns the abilities that a person lacks, with reasons. Pages disable buttons by these. */
  unavailableTo?(actor: Actor): Record<string, string>
  administrators?(trx?: TransactionClientContract): Promise<string[]>
  /** SQL expressions for an account's name and search text. `column` contains the account's id. */
  customers?: { name(column: string): string; words(column: string): string }
}

export const coreDependencies: CoreDependencies = {}
