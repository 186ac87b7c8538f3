import type { MatchState } from '#billing/transformers/statements'

/** What the lines of a statement can say of payments, as the view `statement_matches` finds it. */
export const matchStates: Record<MatchState, string> = {
  exact: 'Exact match',
  part: 'Another transfer of the bill differs',
  amount: 'Amount differs',
  account: 'Account differs',
  twice: 'Reported for two bills',
  rejected: 'Already rejected',
  unclaimed: 'Not reported yet',
  approved: 'Approved',
}
