import type { MatchState } from '#billing/transformers/statements'

/** What the lines of a statement can say of payments, as the view `statement_matches` finds it. */
export const matchStates: Record<MatchState, string> = {
  exact: 'Exact',
  part: 'Another transfer of the bill differs',
  amount: 'Amount differs',
  account: 'Account differs',
  twice: 'Reported for two bills',
  rejected: 'Already rejected',
  unclaimed: 'Unclaimed',
  approved: 'Approved',
}
