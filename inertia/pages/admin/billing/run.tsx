import { useState } from 'react'
import { Head, usePage } from '@inertiajs/react'
import { Stack } from '@mantine/core'
import type { BillingRunPage, MonthComparisonRow } from '~/components/billing/types'
import { BillingRunHistory } from '~/components/billing/billing_run_history'
import { SkippedAccountsTable } from '~/components/billing/skipped_accounts_table'
import { List } from '~/components/list/list'
import { Table } from '~/components/list/table'
import { reloadChangingProps } from '~/components/live/reload_changing_props'
import { useOperation } from '~/components/operation/use_operations'
import { OperationProgress } from '~/components/operation/operation_progress'
import { useApiCall } from '~/components/use_api_call'
import type { SharedProps } from '~/types'
import { ConfirmDialog } from '@ui/confirm_dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { DetailLine } from '@ui/detail_line'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { StatusBadge } from '@ui/status_badge'

const RELOADED_PROPS = ['accounts', 'changes', 'percents', 'preview', 'runs', 'operation']
const tones = { new: 'good', up: 'good', gone: 'loss', down: 'wait', same: 'calm' } as const

export default function BillingRun(page: BillingRunPage) {
  const { preview, accounts, changes, percents, runs } = page
  const { unavailable, dollarRate } = usePage<SharedProps>().props
  const [asking, ask] = useState(false)
  const { run } = useApiCall()
  const operation = useOperation(page.operation, 'admin', reloadChangingProps)
  const money = (amount: string) => <Money amount={amount} rate={dollarRate} />
  const reason =
    unavailable?.['billing.run'] ?? (page.operation ? 'A billing run is already running.' : null)

  return (
    <>
      <Head title="Billing run" />
      <PageHeader
        title="Billing run"
        hint="Berth runs billing every 10 minutes. Preview what would be billed now, or run it immediately."
        action={
          <ButtonWithDisabledReason reason={reason} onClick={() => ask(true)}>
            Run billing
          </ButtonWithDisabledReason>
        }
      >
        <DetailLine
          items={[
            { label: 'Bills to create', value: preview.bills },
            { label: 'Total', value: money(preview.total) },
            { label: 'Skipped accounts', value: preview.skipped.length },
          ]}
        />
      </PageHeader>
      <Stack gap="lg">
        {operation && <OperationProgress operation={operation} />}
        {preview.services.length > 0 && (
          <section aria-labelledby="services">
            <h2 id="services">Charges by service</h2>
            <Table
              label="Charges by service"
              rows={preview.services}
              rowKey={(row) => `${row.type} ${row.bill_type}`}
              columns={[
                { label: 'Service', phone: 'title', cell: (row) => row.type.replaceAll('_', ' ') },
                { label: 'Package or usage', phone: 'second', cell: (row) => row.bill_type },
                {
                  label: 'Number of charges',
                  align: 'right',
                  mono: true,
                  cell: (row) => row.lines,
                },
                {
                  label: 'Amount',
                  align: 'right',
                  mono: true,
                  phone: 'aside',
                  cell: (row) => money(row.cost),
                },
              ]}
            />
          </section>
        )}
        {preview.skipped.length > 0 && (
          <section aria-labelledby="skipped">
            <h2 id="skipped">Skipped</h2>
            <SkippedAccountsTable rows={preview.skipped} />
          </section>
        )}
        <section aria-labelledby="compared">
          <h2 id="compared">This month and last month</h2>
          <List<MonthComparisonRow>
            path="/admin/billing/run"
            name="billing run"
            answer={{ ...page, rows: accounts, statuses: changes }}
            props={RELOADED_PROPS}
            live={['billing_run']}
            label="Accounts"
            all="All changes"
            searchLabel="Search by name"
            rowKey={(row) => row.account_id}
            rowHref={(row) => `/admin/customer/${row.account_id}`}
            filters={[
              {
                kind: 'choice',
                name: 'percent',
                label: 'Changed by more than',
                all: '20 %',
                // The option `all` already means 20 %, so 20 is not offered again.
                options: percents
                  .filter((value) => value !== '20')
                  .map((value) => ({ value, label: `${value} %` })),
              },
            ]}
            empty={{
              title: 'No changes',
              hint: 'No account changed by more than the chosen percentage.',
            }}
            nothing="No account matches these filters."
            columns={[
              { label: 'Account', sort: 'account', phone: 'title', cell: (row) => row.name },
              {
                label: 'Change',
                width: '120px',
                phone: 'second',
                cell: ({ change }) => (
                  <StatusBadge status={change} label={changes[change]} tone={tones[change]} />
                ),
              },
              {
                label: 'Last month',
                sort: 'before',
                align: 'right',
                mono: true,
                width: '160px',
                cell: (row) => money(row.before),
              },
              {
                label: 'This month',
                sort: 'now',
                align: 'right',
                mono: true,
                width: '160px',
                phone: 'aside',
                cell: (row) => money(row.now),
              },
            ]}
          />
        </section>
        <BillingRunHistory runs={runs} />
      </Stack>
      <ConfirmDialog
        opened={asking}
        onClose={() => ask(false)}
        title="Run billing"
        question={`Create ${preview.bills === 1 ? '1 bill' : `${preview.bills} bills`} now and email the customers?`}
        confirm="Run billing"
        onConfirm={() => run('/admin/billing/run', {}, 'successes')}
      />
    </>
  )
}
