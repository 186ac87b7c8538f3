import { StatusBadge, type Tone } from '@ui/status_badge'
import type { MatchState } from './types'

const tones: Record<MatchState, Tone> = {
  exact: 'good',
  part: 'wait',
  amount: 'loss',
  account: 'wait',
  twice: 'loss',
  rejected: 'wait',
  unclaimed: 'calm',
  approved: 'good',
}

/** What a statement says of a payment. */
export function MatchBadge({ state, label }: { state: MatchState; label: string }) {
  return <StatusBadge status={state} label={label} tone={tones[state]} />
}
