import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Group } from '@mantine/core'
import { DangerDialog } from '@ui/confirm_dialog'
import { DateText } from '@ui/date_text'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { StatusBadge } from '@ui/status_badge'
import { List } from '~/components/list/list'
import type { Column } from '~/components/list/table'
import { TwoLineCell } from '~/components/list/two_line_cell'
import { useApiCall } from '~/components/use_api_call'
import type { SharedProps } from '~/types'
import { MIN_RELOAD_INTERVAL_MS } from './status_tones'
import type { OperationsPage, OperationRow } from './types'

export function OperationList({ page }: { page: OperationsPage }) {
  const { unavailable } = usePage<SharedProps>().props
  const { busy, run } = useApiCall()
  const [ending, setEnding] = useState<OperationRow | null>(null)
  const mayNot = unavailable?.['work.decide']

  const decide = async ({ id }: OperationRow, what: 'retry' | 'give-up') =>
    run(`/admin/operations/${id}/${what}`, {}, what === 'give-up' ? 'successes' : 'all')
  const reasonOf = ({ status }: OperationRow) =>
    mayNot ?? (status === 'stuck' ? null : 'This operation is not stuck.')

  const columns: Column<OperationRow>[] = [
    {
      label: 'Operation',
      sort: 'title',
      width: '24%',
      phone: 'title',
      cell: ({ title, kind, request_id: request }) => (
        <TwoLineCell second={kind}>
          <span title={request ? `${title}, request ${request}` : title}>{title}</span>
        </TwoLineCell>
      ),
    },
    {
      label: 'Owner',
      sort: 'owner',
      width: '13%',
      phone: 'hidden',
      cell: ({ owner }) => owner ?? 'Berth',
    },
    {
      label: 'Started',
      sort: 'begun',
      width: '165px',
      phone: 'hidden',
      cell: ({ created_at: at }) => <DateText value={at} shape="moment" />,
    },
    {
      label: 'Status',
      sort: 'status',
      width: '110px',
      phone: 'aside',
      cell: ({ status }) => <StatusBadge status={status} />,
    },
    { label: 'Current step', phone: 'second', cell: progressLabel },
    {
      label: 'Action',
      width: '124px',
      align: 'right',
      phone: 'action',
      cell: (row) => (
        <Group gap={4} justify="flex-end" wrap="nowrap" data-keep>
          <ButtonWithDisabledReason
            size="compact-sm"
            variant="subtle"
            reason={reasonOf(row)}
            loading={busy === `/admin/operations/${row.id}/retry`}
            aria-label={`Retry ${row.title}`}
            onClick={() => void decide(row, 'retry')}
          >
            Retry
          </ButtonWithDisabledReason>
          <ButtonWithDisabledReason
            size="compact-sm"
            variant="subtle"
            color="red"
            reason={reasonOf(row)}
            aria-label={`End ${row.title}`}
            onClick={() => setEnding(row)}
          >
            End
          </ButtonWithDisabledReason>
        </Group>
      ),
    },
  ]

  return (
    <>
      <List
        path="/admin/system"
        query={{ tab: 'work' }}
        name="work"
        live={['operation']}
        rest={MIN_RELOAD_INTERVAL_MS}
        answer={page}
        label="Operations"
        all="All Operations"
        searchLabel="Search by operation, customer, problem or request"
        columns={columns}
        rowKey={({ id }) => id}
        empty={{
          title: 'No operations running',
          hint: 'No operation failed in the last 24 hours.',
        }}
      />
      <DangerDialog
        opened={ending !== null}
        question={`End "${ending?.title ?? ''}" as failed? Completed steps are not undone. You can then use, retry or delete the resource that this operation worked on.`}
        confirm="End operation"
        onClose={() => setEnding(null)}
        onConfirm={async () => (ending ? decide(ending, 'give-up') : undefined)}
      />
    </>
  )
}

function progressLabel({ step, trouble, attempts, status }: OperationRow) {
  return status === 'stuck' ? `${attempts} attempts: ${trouble}` : (trouble ?? step ?? '-')
}
