import type { MatchState } from '#billing/transformers/statement_page_props'

/** The view `statement_matches` computes these states for statement lines. */
export const matchStates: Record<MatchState, string> = {
  exact: 'Exact match',
  part: 'Another transfer of the bill differs',
  amount: 'Amount differs',
  account: 'Account differs',
  twice: 'Reported for two bills',
  rejected: 'Already rejected',
  unclaimed: 'Not reported yet',
  approved: 'Approved',
  reversed: 'Reversed',
}
