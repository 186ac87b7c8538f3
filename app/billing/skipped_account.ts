/** An account that a run did not bill, with the reason. */
export interface SkippedAccount {
  account_id: number
  name: string
  /** Dollars that wait for a bill, exact decimal; negative for a credit. */
  waits: string
  reason: string
}
