import { StatusBadge, type StatusTone } from '@ui/status_badge'
import type { MatchState } from './types'

const tones: Record<MatchState, StatusTone> = {
  exact: 'good',
  part: 'wait',
  amount: 'loss',
  account: 'wait',
  twice: 'loss',
  rejected: 'wait',
  unclaimed: 'calm',
  approved: 'good',
  reversed: 'loss',
}

export function StatementMatchBadge({ state, label }: { state: MatchState; label: string }) {
  return <StatusBadge status={state} label={label} tone={tones[state]} />
}
