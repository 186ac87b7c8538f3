import { usePage } from '@inertiajs/react'
import { Alert, Group, Stack, Text, TextInput } from '@mantine/core'
import { FormFrame } from '@ui/form_frame'
import { Money } from '@ui/money'
import { useRegion } from '@ui/region'
import { statusLabel } from '@ui/status_label'
import type { MonthToDate as SoFar } from '~/components/billing/types'
import { useApiForm } from '~/components/form/use_api_form'
import { Table } from '~/components/list/table'
import type { SharedProps } from '~/types'

export function MonthToDate({ soFar }: { soFar: SoFar }) {
  const { services, total, alert, crossed } = soFar
  const { unavailable, dollarRate } = usePage<SharedProps>().props
  // Without a dollar rate, amounts in taka are unknown.
  const rate = Number(dollarRate) ? '1' : '0'
  const { name: currency } = useRegion()
  const form = useApiForm({
    to: '/billing/alert',
    send: (fields) => ({ amount: fields.get('amount') || null }),
    onDone: () => {},
  })
  return (
    <section aria-labelledby="so-far">
      <Stack gap="sm" mb="lg">
        <Group justify="space-between">
          <h2 id="so-far">This month so far</h2>
          <Text fw={700} size="lg">
            <Money amount={total} rate={rate} />
          </Text>
        </Group>
        {crossed && alert && (
          <Alert color="yellow" role="status">
            Your services keep running. This month has reached your alert amount of{' '}
            <Money amount={alert} />.
          </Alert>
        )}
        {services.length > 0 ? (
          <Table
            label="This month so far"
            rows={services}
            rowKey={({ source }) => source}
            columns={[
              { label: 'Service', phone: 'title', cell: ({ name }) => name },
              {
                label: 'Package or usage',
                phone: 'second',
                cell: ({ bill_type: type }) => statusLabel(type),
              },
              {
                label: 'Cost',
                align: 'right',
                mono: true,
                width: '150px',
                phone: 'aside',
                cell: ({ cost_taka: taka }) => <Money amount={taka} rate={rate} />,
              },
            ]}
          />
        ) : (
          <Text c="dimmed">No usage or renewals this month yet.</Text>
        )}
        <FormFrame
          form={form}
          submit="Save alert"
          buttons="left"
          quiet
          reason={unavailable?.['bills.pay'] ?? null}
        >
          <TextInput
            key={alert}
            maw={320}
            label="Alert me when this month reaches"
            description={`In ${currency}. We email you once a month at most. Leave empty for no alert.`}
            inputMode="decimal"
            defaultValue={alert ?? ''}
            {...form.field('amount')}
          />
        </FormFrame>
      </Stack>
    </section>
  )
}
