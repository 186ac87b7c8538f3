import { useState } from 'react'
import { usePage } from '@inertiajs/react'
import type { GetRoutePath } from '#core/page_addresses'
import { Money } from '@ui/money'
import { Chart } from '~/components/metrics/chart'
import { highestValue } from '~/components/metrics/metrics_history'
import { roundUpAxisMax } from '~/components/metrics/format_units'
import { UsageSections } from '~/components/usage_sections'
import styles from '~/components/vault/vault.module.css'
import type { SharedProps } from '~/types'
import type { SenderUsage, MailUsageHistory } from './types'

const formatCount = (value: number) => String(Math.round(value))

interface UsageProps {
  href: GetRoutePath
  facts: SenderUsage | null
}

export function Usage({ href, facts }: UsageProps) {
  const { dollarRate } = usePage<SharedProps>().props
  const month = facts && [
    { label: 'Accepted', value: facts.month.accepted },
    { label: 'Delivered', value: facts.month.delivered },
    { label: 'Bounced', value: facts.month.bounced },
    { label: 'Complained', value: facts.month.complained },
    { label: 'Waiting', value: facts.waiting },
    { label: 'Cost to date', value: <Money amount={facts.month.cost} rate={dollarRate} /> },
  ]
  return (
    <UsageSections<MailUsageHistory>
      href={href}
      month={month}
      billingNote="You pay for each accepted email, once per recipient. Months start and end in UTC."
      charts={(usage) => <UsageCharts usage={usage} />}
    />
  )
}

function UsageCharts({ usage }: { usage: MailUsageHistory }) {
  const [at, setAt] = useState<number | null>(null)
  const { series } = usage
  const shared = { history: usage, at, onAt: setAt, format: formatCount }
  const maxOf = (...names: (keyof typeof series)[]) =>
    Math.max(10, roundUpAxisMax(Math.max(...names.map((name) => highestValue(series[name]) ?? 0))))
  return (
    <div className={styles.charts}>
      <Chart
        {...shared}
        wide
        title="Emails"
        lines={[
          { label: 'Accepted', values: series.accepted },
          { label: 'Delivered', values: series.delivered },
        ]}
        top={maxOf('accepted', 'delivered')}
      />
      <Chart
        {...shared}
        title="Bounces and complaints"
        lines={[
          { label: 'Bounced', values: series.bounced },
          { label: 'Complained', values: series.complained },
        ]}
        top={maxOf('bounced', 'complained')}
      />
      <Chart
        {...shared}
        title="Opened"
        lines={[{ label: 'Opened', values: series.opened }]}
        top={maxOf('opened')}
      />
    </div>
  )
}
