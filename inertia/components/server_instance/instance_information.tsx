import { usePage } from '@inertiajs/react'
import { CopyableText } from '@ui/copyable_text'
import { DateText } from '@ui/date_text'
import { Money, formatTaka } from '@ui/money'
import { type Region, useRegion } from '@ui/region'
import { statusLabel } from '@ui/status_label'
import { DescriptionList, type DescriptionItem } from '~/components/description_list'
import type { SharedProps } from '~/types'
import { specificationItems } from './specifications_list'
import type { AdminInstanceView, InstanceView } from './types'

type AnyInstanceView = InstanceView | AdminInstanceView

export function portItems(ports: Record<string, number>, ip: string | null): DescriptionItem[] {
  return Object.entries(ports).map(([name, port]) => ({
    label: `Port ${name}`,
    value: <CopyableText text={port} value={ip ? `${ip}:${port}` : String(port)} what={name} />,
  }))
}

/** The agreed dollar prices are fixed until the instance is resized. Each bill uses the exchange rate of its day. */
function subscriptionItems(
  { subscription, pricing, billing_period: period }: AnyInstanceView,
  dollarRate: string,
  region: Region
) {
  const money = (amount: string) => <Money amount={amount} rate={dollarRate} />
  if (!subscription) {
    const price = pricing && (
      <>
        {money(pricing.renew)} per {period}
      </>
    )
    return [{ label: 'Price', value: price }]
  }
  const { price, renewal_price: later, started_at, renews_at, ended_at } = subscription
  return [
    {
      label: 'Agreed price',
      value: (
        <>
          {formatTaka(price, dollarRate, region) !== formatTaka(later, dollarRate, region) && (
            <>
              {money(price)} for the first {period}, then{' '}
            </>
          )}
          {money(later)} per {period}, at today’s dollar rate
        </>
      ),
    },
    { label: 'Current package since', value: <DateText value={started_at} shape="moment" /> },
    ended_at
      ? { label: 'Subscription ended', value: <DateText value={ended_at} shape="moment" /> }
      : { label: 'Renews on', value: <DateText value={renews_at} /> },
  ]
}

function instanceDetailItems(
  view: AnyInstanceView,
  dollarRate: string,
  region: Region
): DescriptionItem[] {
  const { ip, username, ports, package: option, billing_period: period } = view
  const ssh = ip && ports.ssh && username ? `ssh -p ${ports.ssh} ${username}@${ip}` : null
  return [
    { label: 'Instance type', value: statusLabel(view.instance_type) },
    {
      label: 'Package',
      value: `${option.name} (${statusLabel(option.server_series)}), version ${option.version}`,
    },
    ...specificationItems(view.specifications).map(({ label, value }) => ({ label, value })),
    { label: 'Process limit', value: `${view.processes.toLocaleString('en-US')}` },
    { label: 'Billing period', value: statusLabel(period) },
    ...subscriptionItems(view, dollarRate, region),
    { label: 'IP', value: ip && <CopyableText text={ip} copied="IP Copied!" what="IP" /> },
    { label: 'Username', value: username && <span className="mono">{username}</span> },
    ...portItems(ports, ip),
    ...(ssh ? [{ label: 'SSH', value: <CopyableText text={ssh} what="SSH command" /> }] : []),
    { label: 'System id', value: view.system_id && <span className="mono">{view.system_id}</span> },
    ...('ssh_key' in view ? [{ label: 'SSH key', value: view.ssh_key && 'Stored by Berth' }] : []),
    { label: 'Created', value: <DateText value={view.created_at} shape="moment" /> },
  ]
}

export function InstanceInformation({ instance }: { instance: AnyInstanceView }) {
  const { dollarRate } = usePage<SharedProps>().props
  const rows = instanceDetailItems(instance, dollarRate, useRegion())
  return <DescriptionList label="Information" rows={rows} />
}
