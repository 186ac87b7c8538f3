import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import { Money } from '@ui/money'
import { Chart } from '~/components/metrics/chart'
import { highestValue } from '~/components/metrics/metrics_history'
import { formatBytes, roundUpAxisMax } from '~/components/metrics/format_units'
import { UsageSections } from '~/components/usage_sections'
import type { SharedProps } from '~/types'
import { MonthlySpendingLimitForm } from './monthly_spending_limit_form'
import type { UsageHistory, VaultPage } from './types'
import styles from './vault.module.css'

const formatCount = (value: number) => String(Math.round(value))

export function Usage({ page, barred }: { page: VaultPage; barred: string | null }) {
  const { vault, facts } = page
  const { dollarRate } = usePage<SharedProps>().props
  const month = facts && [
    { label: 'Requests', value: facts.month.requests },
    { label: 'Sent', value: formatBytes(facts.month.bytes_out) },
    { label: 'Received', value: formatBytes(facts.month.bytes_in) },
    { label: 'Stored', value: formatBytes(facts.bytes) },
    { label: 'Cost to date', value: <Money amount={facts.month.cost} rate={dollarRate} /> },
  ]

  return (
    <UsageSections<UsageHistory>
      href={`/vault/${vault.id}/usage`}
      month={month}
      billingNote="Each vault includes 5 GB of storage and 10 GB of downloads a month. You pay for usage above that, and for requests. Deleted and overwritten files count as stored for up to one more hour. Months start and end in UTC."
      charts={(usage) => <UsageCharts usage={usage} />}
    >
      {facts && (
        <MonthlySpendingLimitForm
          key={facts.monthly_limit}
          vault={vault.id}
          limit={facts.monthly_limit}
          reached={facts.limit_reached}
          barred={barred}
        />
      )}
    </UsageSections>
  )
}

function UsageCharts({ usage }: { usage: UsageHistory }) {
  const [at, setAt] = useState<number | null>(null)
  const { series } = usage
  const shared = { history: usage, at, onAt: setAt }
  const maxOf = (...names: (keyof typeof series)[]) =>
    Math.max(...names.map((name) => highestValue(series[name]) ?? 0))
  return (
    <div className={styles.charts}>
      <Chart
        {...shared}
        wide
        title="Requests"
        lines={[{ label: 'Requests', values: series.requests }]}
        top={Math.max(10, roundUpAxisMax(maxOf('requests')))}
        format={formatCount}
      />
      <Chart
        {...shared}
        title="Bandwidth"
        lines={[
          { label: 'Sent', values: series.bytes_out },
          { label: 'Received', values: series.bytes_in },
        ]}
        top={Math.max(1024, roundUpAxisMax(maxOf('bytes_out', 'bytes_in'), 1024))}
        format={formatBytes}
      />
      <Chart
        {...shared}
        title="Storage"
        lines={[{ label: 'Stored', values: series.held }]}
        top={Math.max(1024, roundUpAxisMax(maxOf('held'), 1024))}
        format={formatBytes}
      />
    </div>
  )
}
