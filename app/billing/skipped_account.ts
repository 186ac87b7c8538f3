export interface SkippedAccount {
  account_id: number
  name: string
  /** Amount that is not billed yet, in dollars, exact decimal. Negative: a credit. */
  waits: string
  reason: string
}
