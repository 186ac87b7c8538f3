import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Alert, Group, Stack } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { DisabledReason } from '@ui/disabled_reason'
import { KeyFacts } from '@ui/key_facts'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { billAddress } from '~/components/billing/bill_address'
import { MatchBadge } from '~/components/billing/match_badge'
import { StatementColumnsForm } from '~/components/billing/statement_columns'
import type { MatchRow, StatementPage } from '~/components/billing/types'
import { Link } from '~/components/link'
import { List } from '~/components/list/list'
import { TwoLines } from '~/components/list/two_lines'
import { reread } from '~/components/live/reread'
import { isOver, useOperation } from '~/components/operation/watch_operation'
import { OperationProgress } from '~/components/operation/progress'
import { useCall } from '~/components/use_call'
import type { SharedProps } from '~/types'
import { visit } from '~/visit'

const RELOADED_PROPS = [
  'statement',
  'head',
  'sample',
  'columns',
  'matches',
  'matchStates',
  'passed',
  'unread',
  'exactBills',
  'operation',
]

/** One statement: what each of its lines says of a payment, and approval of all that is exact. */
export default function Statement(page: StatementPage) {
  const { statement, passed, unread, exactBills } = page
  const { unavailable } = usePage<SharedProps>().props
  const barred = unavailable?.['bills.decide'] ?? null
  const [asked, ask] = useState<'approve' | 'delete' | null>(null)
  const [mapping, map] = useState(false)
  const { run } = useCall()
  const operation = useOperation(page.operation, 'admin', reread)
  const going = operation && !isOver(operation) ? 'Exact matches are already being approved.' : null
  const nothing = exactBills
    ? null
    : 'No payment that awaits approval matches this statement exactly.'
  const exactLabel =
    exactBills === 1
      ? 'Approve 1 exact match'
      : `Approve ${exactBills ? `${exactBills} ` : ''}exact matches`

  return (
    <>
      <Head title={`Statement of ${statement.operator}`} />
      <PageHeader
        back={<Link href="/admin/billing/statements">Back</Link>}
        title={`Statement of ${statement.operator}`}
        hint={statement.filename}
        action={
          <DisabledReason reason={barred ?? going ?? nothing} onClick={() => ask('approve')}>
            {exactLabel}
          </DisabledReason>
        }
      >
        <KeyFacts
          facts={[
            { label: 'Lines', value: statement.lines },
            { label: 'On an earlier statement', value: passed.before },
            { label: 'Outgoing (skipped)', value: passed.outgoing },
            { label: 'Failed or reversed (skipped)', value: passed.failed },
            { label: 'Unreadable rows', value: passed.wrong },
            { label: 'Uploaded', value: <DateText value={statement.created_at} /> },
            { label: 'Uploaded by', value: statement.by ?? '-' },
          ]}
        />
      </PageHeader>
      <Stack gap="lg">
        {operation && <OperationProgress operation={operation} />}
        {operation?.status === 'done' && <LeftBills left={operation.result?.left} />}
        {unread.length > 0 && <Unread rows={unread} count={passed.wrong} />}
        {statement.is_read && !mapping ? (
          <Matches {...page} />
        ) : (
          <section aria-labelledby="columns">
            <h2 id="columns">Which column is which?</h2>
            <p>
              Berth remembers your choice for statements of {statement.operator} with the same
              columns.
            </p>
            <StatementColumnsForm {...page} barred={barred} key={String(statement.is_read)} />
          </section>
        )}
        <Group gap="xs">
          {statement.is_read && (
            <DisabledReason variant="default" reason={going} onClick={() => map(!mapping)}>
              {mapping ? 'Back to lines' : 'Change columns'}
            </DisabledReason>
          )}
          <DisabledReason
            variant="default"
            color="red"
            reason={barred ?? going}
            onClick={() => ask('delete')}
          >
            Delete statement
          </DisabledReason>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={asked === 'approve'}
        onClose={() => ask(null)}
        title="Approve exact matches"
        question={`Approve the payments of ${exactBills} ${exactBills === 1 ? 'bill' : 'bills'}? Each payment matches the statement in transaction ID, amount and account.`}
        confirm="Approve"
        onConfirm={() =>
          run('/admin/billing/statements/approve', { id: statement.id }, 'successes')
        }
      />
      <ConfirmDialog
        opened={asked === 'delete'}
        onClose={() => ask(null)}
        title="Delete statement"
        question={`Delete ${statement.filename}? Payments that were approved with this statement stay approved.`}
        confirm="Delete"
        onConfirm={async () => {
          const answer = await run(
            '/admin/billing/statements/delete',
            { id: statement.id },
            'successes'
          )
          if (answer.success) visit('/admin/billing/statements')
          return answer
        }}
      />
    </>
  )
}

/** Lists bills that were exact when the button was pressed but could not be approved. */
function LeftBills({ left }: { left: unknown }) {
  const bills = Array.isArray(left) ? (left as { bill_id: number; reason: string }[]) : []
  if (bills.length === 0) return null
  const title =
    bills.length === 1 ? '1 bill was not approved' : `${bills.length} bills were not approved`
  return (
    <Alert color="yellow" title={title}>
      <ul>
        {bills.slice(0, 10).map(({ bill_id: id, reason }) => (
          <li key={id}>
            Bill {id}: {reason}
          </li>
        ))}
      </ul>
      {bills.length > 10 && 'Only the first ten are shown.'}
    </Alert>
  )
}

function Unread({ rows, count }: { rows: StatementPage['unread']; count: number }) {
  const words = count === 1 ? '1 row could not be read' : `${count} rows could not be read`
  return (
    <Alert color="yellow" title={words}>
      <ul>
        {rows.slice(0, 10).map(({ row, why }) => (
          <li key={row}>
            Row {row}: {why}
          </li>
        ))}
      </ul>
      {count > 10 && 'Only the first ten are shown.'}
    </Alert>
  )
}

function Matches(page: StatementPage) {
  const { statement, matches, matchStates } = page
  return (
    <List<MatchRow>
      path={`/admin/billing/statements/${statement.id}`}
      name={`statement_line_${statement.id}`}
      answer={{ ...page, rows: matches, statuses: matchStates }}
      props={RELOADED_PROPS}
      live={['bill', `statement:${statement.id}`]}
      label="Lines"
      all="All lines"
      searchLabel="Search by transaction or account"
      rowKey={({ id }) => id}
      rowHref={({ claim }) => claim && billAddress(claim)}
      empty={{ title: 'No lines', hint: 'Check that the columns are correct.' }}
      columns={[
        {
          label: 'Trx ID',
          mono: true,
          phone: 'title',
          cell: ({ trx_id: trx, at }) => <TwoLines second={at ?? ''}>{trx}</TwoLines>,
        },
        {
          label: 'Sender',
          mono: true,
          width: '170px',
          phone: 'second',
          cell: ({ account, claim }) => (
            <TwoLines second={claim ? `Reported: ${claim.account_number}` : ''}>
              {account ?? '-'}
            </TwoLines>
          ),
        },
        {
          label: 'Received',
          sort: 'amount',
          align: 'right',
          mono: true,
          width: '150px',
          phone: 'aside',
          cell: ({ amount }) => <Money amount={amount} />,
        },
        {
          label: 'Reported amount',
          align: 'right',
          mono: true,
          width: '150px',
          cell: ({ claim }) => (claim ? <Money amount={claim.taka} /> : '-'),
        },
        {
          label: 'Bill',
          width: '170px',
          phone: 'second',
          cell: ({ claim }) =>
            claim ? (
              <Link href={billAddress(claim)} title={claim.bill}>
                {claim.bill}
              </Link>
            ) : (
              '-'
            ),
        },
        {
          label: 'Result',
          width: '190px',
          phone: 'second',
          cell: ({ state }) => <MatchBadge state={state} label={matchStates[state]} />,
        },
      ]}
    />
  )
}
