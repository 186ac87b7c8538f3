export interface SkippedAccount {
  account_id: number
  name: string
  /** Dollars, exact decimal; negative for a credit. */
  waits: string
  reason: string
}
