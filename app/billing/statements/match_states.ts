import type { MatchState } from '#billing/transformers/statement_page_props'

export const matchStates: Record<MatchState, string> = {
  exact: 'Exact match',
  part: 'Another transfer of this bill does not match',
  amount: 'Amount differs',
  account: 'Account differs',
  twice: 'Reported for two bills',
  rejected: 'Already rejected',
  unclaimed: 'Not reported yet',
  approved: 'Approved',
  reversed: 'Reversed',
}
