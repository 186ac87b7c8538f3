import { Head } from '@inertiajs/react'
import { Group, Stack } from '@mantine/core'
import { MonthlyBillingChart } from '~/components/billing/monthly_billing_chart'
import type { BillFamily, BillingOverview } from '~/components/billing/types'
import { LinkButton } from '~/components/link_button'
import { Table } from '~/components/list/table'
import { useLiveProps } from '~/components/live/use_live_props'
import { DateText } from '@ui/date_text'
import { Money } from '@ui/money'
import { PageHeader } from '@ui/page_header'
import { useRegion } from '@ui/region'

const familyLabels: Record<BillFamily, string> = { console: 'Console', autocourier: 'Auto Courier' }
const ageLabels = { week: 'Up to 7 days', month: '8 to 30 days', older: 'More than 30 days' }
const formatUsd = (amount: string) => `$${Number(amount).toFixed(2)}`

export default function Overview({ months, waiting, overdue }: BillingOverview) {
  useLiveProps(['bill'], ['months', 'waiting', 'overdue'])
  const newest = months.toReversed()
  const { name: currency } = useRegion()
  return (
    <>
      <Head title="Billing overview" />
      <PageHeader
        title="Billing overview"
        hint="Bills awaiting approval, overdue bills, and income of the last 12 months"
        action={
          <LinkButton variant="default" href="/admin/billing/run">
            Billing run
          </LinkButton>
        }
      />
      <Stack gap="xl">
        <section aria-labelledby="waiting">
          <h2 id="waiting">Awaiting approval</h2>
          <Table
            label="Awaiting approval"
            rows={waiting}
            rowKey={(row) => row.family}
            columns={[
              { label: 'Billing', phone: 'title', cell: ({ family }) => familyLabels[family] },
              {
                label: 'Bills',
                align: 'right',
                mono: true,
                phone: 'aside',
                cell: (row) => row.bills,
              },
              {
                label: 'Oldest waiting since',
                phone: 'second',
                cell: ({ oldest }) => <DateText value={oldest} />,
              },
            ]}
          />
          <Group gap="xs" mt="sm">
            <LinkButton variant="default" href="/admin/billing/list?status=processing">
              Console bills awaiting approval
            </LinkButton>
            <LinkButton variant="default" href="/admin/autocourier-billing/list?status=processing">
              Auto Courier bills awaiting approval
            </LinkButton>
          </Group>
        </section>
        <section aria-labelledby="overdue">
          <h2 id="overdue">Overdue</h2>
          <Table
            label="Overdue"
            rows={overdue}
            rowKey={(row) => row.age}
            columns={[
              { label: 'Overdue for', phone: 'title', cell: ({ age }) => ageLabels[age] },
              {
                label: 'Bills',
                align: 'right',
                mono: true,
                phone: 'second',
                cell: (row) => row.bills,
              },
              {
                label: 'Left to pay',
                align: 'right',
                mono: true,
                phone: 'aside',
                cell: ({ due }) => formatUsd(due),
              },
            ]}
          />
        </section>
        <section aria-labelledby="dollars">
          <h2 id="dollars">Console billing, in dollars</h2>
          <MonthlyBillingChart
            label="Chart of the dollars billed and paid per month. The table below has the same figures."
            months={months.map((row) => ({
              month: row.month,
              billed: row.billed_usd,
              paid: row.paid_usd,
            }))}
          />
          <Table
            label="Console billing by month"
            rows={newest}
            rowKey={(row) => row.month}
            columns={[
              { label: 'Month', phone: 'title', cell: (row) => row.month },
              {
                label: 'Billed',
                align: 'right',
                mono: true,
                cell: (row) => formatUsd(row.billed_usd),
              },
              {
                label: 'Paid',
                align: 'right',
                mono: true,
                phone: 'aside',
                cell: (row) => formatUsd(row.paid_usd),
              },
              {
                label: 'New customers',
                align: 'right',
                mono: true,
                cell: (row) => row.new_customers,
              },
              {
                label: 'Lost customers',
                align: 'right',
                mono: true,
                cell: (row) => row.lost_customers,
              },
            ]}
          />
        </section>
        <section aria-labelledby="courier">
          <h2 id="courier">Auto Courier billing, in {currency}</h2>
          <MonthlyBillingChart
            label={`Chart of the ${currency} billed and paid per month. The table below has the same figures.`}
            months={months.map((row) => ({
              month: row.month,
              billed: row.billed_bdt,
              paid: row.paid_bdt,
            }))}
          />
          <Table
            label="Auto Courier billing by month"
            rows={newest}
            rowKey={(row) => row.month}
            columns={[
              { label: 'Month', phone: 'title', cell: (row) => row.month },
              {
                label: 'Billed',
                align: 'right',
                mono: true,
                phone: 'second',
                cell: (row) => <Money amount={row.billed_bdt} />,
              },
              {
                label: 'Paid',
                align: 'right',
                mono: true,
                phone: 'aside',
                cell: (row) => <Money amount={row.paid_bdt} />,
              },
            ]}
          />
        </section>
      </Stack>
    </>
  )
}
