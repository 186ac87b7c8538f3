import { Money } from '@ui/money'
import { StatusBadge } from '@ui/status_badge'
import { Link } from '~/components/link'
import { StatementMatchBadge } from './statement_match_badge'
import type { TransferMatch } from './types'

export function StatementMatch({ on: { trx_id: trxId, found, failed } }: { on: TransferMatch }) {
  if (failed) {
    return (
      <>
        <StatusBadge status="failed" label={failed.status} tone="loss" /> The statement says that no
        money arrived.{' '}
        <Link href={`/admin/billing/statements/${failed.statement_id}`}>Statement</Link>
      </>
    )
  }
  if (!found) return 'Not on a statement yet'
  const { statement_id: id, state, label, amount } = found
  return (
    <>
      <StatementMatchBadge state={state} label={label} /> <Money amount={amount} />{' '}
      <Link href={`/admin/billing/statements/${id}`} data={{ search: trxId }}>
        Statement
      </Link>
    </>
  )
}
