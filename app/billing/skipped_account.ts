export interface SkippedAccount {
  account_id: number
  name: string
  /** Dollars, exact decimal. Negative: a credit. */
  waits: string
  reason: string
}
