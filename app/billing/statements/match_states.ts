import type { MatchState } from '#billing/transformers/statements'

/** What the lines of a statement can say of payments, as the view `statement_matches` finds it. */
export const matchStates: Record<MatchState, string> = {
  exact: 'Exact',
  part: 'Another transfer differs',
  amount: 'Amount differs',
  account: 'Account differs',
  twice: 'Claimed for two bills',
  rejected: 'Rejected before',
  unclaimed: 'Unclaimed',
  approved: 'Approved',
}
