import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Alert, Group, Stack } from '@mantine/core'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { adminBillHref } from '~/components/billing/admin_bill_href'
import { MatchLineDialog } from '~/components/billing/match_line_dialog'
import { StatementMatchBadge } from '~/components/billing/statement_match_badge'
import { StatementTermsForm } from '~/components/billing/statement_terms_form'
import { StatementColumnsForm } from '~/components/billing/statement_columns_form'
import type { StatementLineRow, StatementPage } from '~/components/billing/types'
import { Link } from '~/components/link'
import { List } from '~/components/list/list'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { isFinished, useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import { useApiCall } from '~/components/use_api_call'
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
  'unknownTerms',
  'termAnswers',
  'exactBills',
  'operation',
]

export default function OperatorStatement(page: StatementPage) {
  const { statement, passed, unread, exactBills } = page
  const { unavailable } = usePage<SharedProps>().props
  const barred = unavailable?.['bills.decide'] ?? null
  const [dialog, ask] = useState<'approve' | 'delete' | null>(null)
  const [mapping, map] = useState(false)
  const { run } = useApiCall()
  const operation = useOperation(page.operation, 'admin', reloadChangingProps)
  const going =
    operation && !isFinished(operation) ? 'Exact matches are already being approved.' : null
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
          <ButtonWithDisabledReason
            reason={barred ?? going ?? nothing}
            onClick={() => ask('approve')}
          >
            {exactLabel}
          </ButtonWithDisabledReason>
        }
      >
        <DetailLine
          items={[
            { label: 'Lines', value: statement.lines },
            { label: 'On an earlier statement', value: passed.before },
            { label: 'Repeated in this file', value: passed.repeated },
            { label: 'Outgoing (skipped)', value: passed.outgoing },
            { label: 'Failed or reversed (skipped)', value: passed.failed },
            { label: 'Unreadable rows', value: passed.wrong },
            { label: 'Rows with unknown words (skipped)', value: passed.unknown },
            { label: 'Uploaded', value: <DateText value={statement.created_at} /> },
            { label: 'Uploaded by', value: statement.by ?? '-' },
          ]}
        />
      </PageHeader>
      <Stack gap="lg">
        {operation && <OperationProgress operation={operation} />}
        {operation?.status === 'done' && <UnapprovedBills left={operation.result?.left} />}
        {unread.length > 0 && <UnreadRows rows={unread} count={passed.wrong} />}
        {page.unknownTerms.length > 0 || (mapping && page.termAnswers.length > 0) ? (
          <StatementTerms
            {...page}
            barred={barred ?? going}
            key={JSON.stringify([page.unknownTerms, page.termAnswers])}
          />
        ) : null}
        {statement.is_read && !mapping ? (
          <MatchList {...page} />
        ) : (
          <section aria-labelledby="columns">
            <h2 id="columns">Choose the column for each field</h2>
            <p>
              Berth remembers your choice for statements of {statement.operator} with the same
              columns.
            </p>
            <StatementColumnsForm
              {...page}
              barred={barred ?? going}
              key={String(statement.is_read)}
            />
          </section>
        )}
        <Group gap="xs">
          {statement.is_read && (
            <ButtonWithDisabledReason
              variant="default"
              reason={going}
              onClick={() => map(!mapping)}
            >
              {mapping ? 'Back to lines' : 'Change columns'}
            </ButtonWithDisabledReason>
          )}
          <ButtonWithDisabledReason
            variant="default"
            color="red"
            reason={barred ?? going}
            onClick={() => ask('delete')}
          >
            Delete statement
          </ButtonWithDisabledReason>
        </Group>
      </Stack>
      <ConfirmDialog
        opened={dialog === 'approve'}
        onClose={() => ask(null)}
        title="Approve exact matches"
        question={`Approve the payments of ${exactBills} ${exactBills === 1 ? 'bill' : 'bills'}? Each payment matches the statement in transaction ID, amount and account.`}
        confirm="Approve"
        onConfirm={() =>
          run('/admin/billing/statements/approve', { id: statement.id }, 'successes')
        }
      />
      <ConfirmDialog
        opened={dialog === 'delete'}
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

/** Lists bills that matched exactly when the button was pressed, but could not be approved. */
function UnapprovedBills({ left }: { left: unknown }) {
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

function StatementTerms(page: StatementPage & { barred: string | null }) {
  const { statement, passed } = page
  const shown = page.unknownTerms.reduce((sum, { count }) => sum + count, 0)
  return (
    <section aria-labelledby="terms">
      <h2 id="terms">Do these words mean that money arrived?</h2>
      <p>
        {passed.unknown > 0 &&
          `${passed.unknown === 1 ? '1 row has a word' : `${passed.unknown} rows have words`} that Berth does not know. Until you answer, Berth does not count ${passed.unknown === 1 ? 'it' : 'them'} as received. `}
        Berth remembers your answers for statements of {statement.operator} with the same columns.
        {passed.unknown > shown &&
          ' Only the first words are shown. If the column contains other text, such as names, choose another column.'}
      </p>
      <StatementTermsForm {...page} />
    </section>
  )
}

function UnreadRows({ rows, count }: { rows: StatementPage['unread']; count: number }) {
  const text = count === 1 ? '1 row could not be read' : `${count} rows could not be read`
  return (
    <Alert color="yellow" title={text}>
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

function MatchList(page: StatementPage) {
  const { statement, matches, matchStates } = page
  const { unavailable } = usePage<SharedProps>().props
  const [line, match] = useState<StatementLineRow | null>(null)
  return (
    <>
      {line && <MatchLineDialog line={line} onClose={() => match(null)} />}
      <List<StatementLineRow>
        path={`/admin/billing/statements/${statement.id}`}
        name={`statement_line_${statement.id}`}
        answer={{ ...page, rows: matches, statuses: matchStates }}
        props={RELOADED_PROPS}
        live={['bill', `statement:${statement.id}`]}
        label="Lines"
        all="All lines"
        searchLabel="Search by transaction or account"
        rowKey={({ id }) => id}
        rowHref={({ claim }) => claim && adminBillHref(claim)}
        empty={{
          title: 'No lines',
          hint:
            page.unknownTerms.length > 0
              ? 'Berth skips rows with unknown words until you answer above.'
              : 'Check that the columns are correct.',
        }}
        columns={[
          {
            label: 'Trx ID',
            mono: true,
            phone: 'title',
            cell: ({ trx_id: trx, at }) => <TwoLineCell second={at ?? ''}>{trx}</TwoLineCell>,
          },
          {
            label: 'Sender',
            mono: true,
            width: '170px',
            phone: 'second',
            cell: ({ account, claim }) => (
              <TwoLineCell second={claim ? `Reported: ${claim.account_number}` : ''}>
                {account ?? '-'}
              </TwoLineCell>
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
            cell: (row) => {
              const { claim, similar, state } = row
              const canMatch = state === 'unclaimed' || state === 'rejected'
              return (
                <>
                  {claim ? (
                    <Link href={adminBillHref(claim)} title={claim.bill}>
                      {claim.bill}
                    </Link>
                  ) : similar ? (
                    <TwoLineCell second={`Reported: ${similar.trx_id}`}>
                      Possibly{' '}
                      <Link href={adminBillHref(similar)} title={similar.bill}>
                        {similar.bill}
                      </Link>
                    </TwoLineCell>
                  ) : canMatch ? null : (
                    '-'
                  )}
                  {canMatch && (
                    <ButtonWithDisabledReason
                      size="xs"
                      variant="default"
                      reason={unavailable?.['bills.decide'] ?? null}
                      aria-label={`Match ${row.trx_id} with a bill`}
                      onClick={() => match(row)}
                    >
                      Match
                    </ButtonWithDisabledReason>
                  )}
                </>
              )
            },
          },
          {
            label: 'Result',
            width: '190px',
            phone: 'second',
            cell: ({ state }) => <StatementMatchBadge state={state} label={matchStates[state]} />,
          },
        ]}
      />
    </>
  )
}
