import { useState } from 'react'
import { NativeSelect, SimpleGrid, Stack } from '@mantine/core'
import { currencyLabel, useRegion } from '@ui/region'
import { FormFrame } from '@ui/form_frame'
import { useApiForm } from '~/components/form/use_api_form'
import { Table } from '~/components/list/table'
import type { StatementColumnIndexes, StatementPage } from './types'

const fields: Record<
  keyof Required<StatementColumnIndexes>,
  { label: string; description?: string }
> = {
  trx_id: { label: 'Transaction ID', description: 'The ID that customers enter when they pay' },
  amount: { label: 'Amount received' },
  account: { label: 'Sender', description: 'The mobile number, even if partly hidden' },
  at: { label: 'Date', description: 'Berth shows the date exactly as the file has it' },
  direction: { label: 'Debit or credit', description: 'Debits are skipped' },
  status: { label: 'Status', description: 'Failed and reversed payments are skipped' },
  currency: {
    label: 'Currency',
    description: 'Rows in a currency other than your payments’ currency are skipped',
  },
}

interface SampleRow {
  cells: string[]
  index: number
}

type StatementColumnsFormProps = Pick<
  StatementPage,
  'statement' | 'head' | 'sample' | 'columns'
> & { barred: string | null }

/**
 * Lets staff say which column of a statement (an operator's list of payments) has which meaning. Later statements of
 * the same operator and format reuse the answer.
 */
export function StatementColumnsForm(props: StatementColumnsFormProps) {
  const { statement, head, sample, barred } = props
  const amountDescription = `${currencyLabel(useRegion())}, before the fee of the mobile money operator`
  const [columns, setColumns] = useState(props.columns)
  const form = useApiForm({
    to: '/admin/billing/statements/columns',
    send: () => ({ id: statement.id, ...columns }),
    onDone: () => {},
  })
  const options = head.map((name, index) => ({
    value: String(index),
    label: name || `Column ${index + 1}`,
  }))
  return (
    <Stack gap="lg">
      <FormFrame
        form={form}
        submit="Read statement with these columns"
        buttons="left"
        reason={barred}
      >
        <SimpleGrid cols={{ base: 1, sm: 2, md: 3 }} spacing="md">
          {(Object.keys(fields) as (keyof StatementColumnIndexes)[]).map((name) => (
            <NativeSelect
              key={name}
              label={fields[name].label}
              description={fields[name].description ?? amountDescription}
              data={[{ value: '-1', label: 'No column' }, ...options]}
              value={String(columns[name] ?? -1)}
              onChange={({ currentTarget: { value } }) =>
                setColumns({ ...columns, [name]: Number(value) })
              }
              {...form.field(name)}
            />
          ))}
        </SimpleGrid>
      </FormFrame>
      <Table<SampleRow>
        label="First rows of the file"
        rows={sample.map((cells, index) => ({ cells, index }))}
        rowKey={({ index }) => index}
        columns={options.map(({ label, value }, index) => ({
          label,
          phone: phonePlacement(index, columns),
          cell: ({ cells }) => cells[Number(value)] ?? '',
        }))}
      />
    </Stack>
  )
}

/** A phone shows only the transaction ID, amount, sender and date. */
function phonePlacement(
  index: number,
  { trx_id: trxId, amount, account, at }: StatementColumnIndexes
) {
  if (index === trxId) return 'title'
  if (index === amount) return 'aside'
  return index === account || index === at ? 'second' : 'hidden'
}
