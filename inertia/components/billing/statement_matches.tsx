import { Money } from '@ui/money'
import { Link } from '~/components/link'
import { MatchBadge } from './match_badge'
import type { OnStatement } from './types'

/** What the operator's statement says of one transfer, with the way to it. */
export function OnStatementFact({ on: { trx_id: trxId, found } }: { on: OnStatement }) {
  if (!found) return 'Not on a statement yet'
  const { statement_id: id, state, label, amount } = found
  return (
    <>
      <MatchBadge state={state} label={label} /> <Money amount={amount} />{' '}
      <Link href={`/admin/billing/statements/${id}`} data={{ search: trxId }}>
        Statement
      </Link>
    </>
  )
}
