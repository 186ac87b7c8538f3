import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Text, TextInput } from '@mantine/core'
import { useApiForm } from '~/components/form/use_api_form'
import { Link } from '~/components/link'
import { Table } from '~/components/list/table'
import type { SharedProps } from '~/types'
import { Dialog } from '@ui/dialog'
import { ButtonWithDisabledReason } from '@ui/button_with_disabled_reason'
import { FormFrame } from '@ui/form_frame'
import { Money } from '@ui/money'
import type { SkippedAccount } from './types'

export function SkippedAccountsTable({ rows }: { rows: SkippedAccount[] }) {
  const { unavailable, dollarRate } = usePage<SharedProps>().props
  const [refunding, refund] = useState<SkippedAccount | null>(null)
  const barred = unavailable?.['bills.decide'] ?? null
  return (
    <>
      <Table
        label="Skipped accounts"
        rows={rows}
        rowKey={(row) => `${row.account_id} ${row.reason}`}
        columns={[
          {
            label: 'Account',
            phone: 'title',
            cell: (row) => <Link href={`/admin/customer/${row.account_id}`}>{row.name}</Link>,
          },
          { label: 'Reason', phone: 'second', cell: (row) => row.reason },
          {
            label: 'Not billed yet',
            align: 'right',
            mono: true,
            phone: 'aside',
            cell: (row) => <Money amount={row.waits} rate={dollarRate} />,
          },
          {
            label: 'Action',
            align: 'right',
            width: '110px',
            phone: 'action',
            cell: (row) => (
              <ButtonWithDisabledReason
                size="xs"
                variant="default"
                reason={barred ?? (Number(row.waits) < 0 ? null : 'This account has no credit.')}
                aria-label={`Pay out the credit of ${row.name}`}
                onClick={() => refund(row)}
              >
                Pay out
              </ButtonWithDisabledReason>
            ),
          },
        ]}
      />
      {refunding && (
        <Dialog opened onClose={() => refund(null)} title="Pay out credit">
          <RefundForm row={refunding} onClose={() => refund(null)} />
        </Dialog>
      )}
    </>
  )
}

function RefundForm({ row, onClose }: { row: SkippedAccount; onClose: () => void }) {
  const form = useApiForm({
    to: '/admin/billing/refund',
    send: (fields) => ({
      account_id: row.account_id,
      amount: fields.get('amount'),
      trx_id: fields.get('trx_id'),
    }),
    onDone: onClose,
  })
  return (
    <FormFrame form={form} submit="Record payment" danger onCancel={onClose}>
      <Text>
        Send the money to {row.name} first, then record the transfer here. The account loses this
        credit, so its next bill is not reduced by it. This cannot be undone.
      </Text>
      <TextInput
        label="Amount in dollars"
        required
        inputMode="decimal"
        defaultValue={row.waits.replace('-', '')}
        {...form.field('amount')}
      />
      <TextInput
        label="Transaction ID"
        description="The transaction ID that the mobile money operator shows"
        required
        data-autofocus
        {...form.field('trx_id')}
      />
    </FormFrame>
  )
}
