import type { Actor } from '#core/contracts/actor'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/** Functions that other modules provide to core, because core must not import modules (decision 0001). */
export interface CoreDependencies {
  /** Returns the abilities that a person lacks, with the reasons. Pages then disable the buttons that need them. */
  unavailableTo?(actor: Actor): Record<string, string>
  administrators?(trx?: TransactionClientContract): Promise<string[]>
  /** SQL expressions for an account's name and its search text. `column` is the SQL column with the account's id. */
  customers?: { name(column: string): string; words(column: string): string }
}

export const coreDependencies: CoreDependencies = {}
