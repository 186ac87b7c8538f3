import { Group } from '@mantine/core'
import { Money } from '@ui/money'
import { StatusBadge } from '@ui/status_badge'
import { Link } from '~/components/link'
import { StatementMatchBadge } from './statement_match_badge'
import type { TransferMatch } from './types'

export function StatementMatch({
  on: { trx_id: trxId, found, failed, similar },
}: {
  on: TransferMatch
}) {
  if (failed) {
    return (
      <span>
        <StatusBadge status="failed" label={failed.status} tone="loss" /> The statement says that no
        money arrived.{' '}
        <Link href={`/admin/billing/statements/${failed.statement_id}`}>Statement</Link>
      </span>
    )
  }
  if (!found && similar) {
    const { statement_id: id, trx_id: like } = similar
    return (
      <span>
        Not on a statement yet. Similar transfer with the same amount and payer: {like}{' '}
        <Link href={`/admin/billing/statements/${id}`} data={{ search: like }}>
          Statement
        </Link>
      </span>
    )
  }
  if (!found) return 'Not on a statement yet'
  const { statement_id: id, state, label, amount } = found
  return (
    <Group gap="xs">
      <StatementMatchBadge state={state} label={label} /> <Money amount={amount} />
      <Link href={`/admin/billing/statements/${id}`} data={{ search: trxId }}>
        Statement
      </Link>
    </Group>
  )
}
