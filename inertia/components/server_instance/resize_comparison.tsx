import type { ReactNode } from 'react'
import { usePage } from '@inertiajs/react'
import { Money, formatTaka } from '@ui/money'
import { useRegion } from '@ui/region'
import type { SharedProps } from '~/types'
import { findPrice } from './order_selection'
import { specificationItems } from './specifications_list'
import type { AdminInstanceView, PackageWithAvailabilityView, PackageView } from './types'
import styles from './resize_comparison.module.css'

export interface SizeOption {
  key: string
  label: string
  option: PackageView
  reason: string | null
}

/**
 * Returns the sizes to choose from, with the instance's current version first. The instance's package appears twice if
 * a newer version of it is on sale.
 */
export function listSizeOptions(
  { package: own }: Pick<AdminInstanceView, 'package'>,
  packages: PackageWithAvailabilityView[]
): SizeOption[] {
  const textsOf = ({ specifications }: PackageView) => specificationItems(specifications)
  const label = (name: string, option: PackageView, reason: string | null) =>
    [name, ...textsOf(option).map(({ text }) => text), ...(reason ? [reason] : [])].join(' · ')
  const others = packages.filter(({ id, version }) => id !== own.id || version !== own.version)
  return [
    {
      key: String(own.id),
      label: label(`${own.name}, version ${own.version} (current)`, own, null),
      option: own,
      reason: null,
    },
    ...others.map((option) => {
      const { id, name, version, room } = option
      const isOwn = id === own.id
      return {
        key: isOwn ? `${id}:${version}` : String(id),
        label: label(isOwn ? `${name}, version ${version} (latest)` : name, option, room.reason),
        option,
        reason: room.reason,
      }
    }),
  ]
}

interface ResizeComparisonProps {
  instance: AdminInstanceView
  selected: PackageView
}

export function ResizeComparison({ instance, selected }: ResizeComparisonProps) {
  const { dollarRate } = usePage<SharedProps>().props
  const region = useRegion()
  const { package: own, billing_period: period, subscription } = instance
  const now = subscription?.renewal_price ?? findPrice(own, period)?.renew
  const then = findPrice(selected, period)?.renew
  const money = (amount?: string) =>
    amount ? <Money amount={amount} rate={dollarRate} /> : `No ${period}ly price`
  const before = new Map(
    specificationItems(own.specifications).map(({ label, value }) => [label, value])
  )
  const rows: { label: string; from: ReactNode; to: ReactNode; other: boolean }[] = [
    {
      label: 'Package',
      from: `${own.name}, version ${own.version}`,
      to: `${selected.name}, version ${selected.version}`,
      other: true,
    },
    ...specificationItems(selected.specifications).map(({ label, value }) => ({
      label,
      from: before.get(label) ?? '-',
      to: value,
      other: before.get(label) !== value,
    })),
    {
      label: `Price per ${period}`,
      from: money(now),
      to: money(then),
      other:
        !now ||
        !then ||
        formatTaka(now, dollarRate, region) !== formatTaka(then, dollarRate, region),
    },
  ]
  return (
    // oxlint-disable-next-line berth/list-markup -- compares two sizes, lists nothing
    <table className={styles.table}>
      <caption>
        The new price applies as soon as the resize finishes. The renewal day stays the same.
      </caption>
      <thead>
        <tr>
          <td />
          <th scope="col">Now</th>
          <th scope="col">After the change</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ label, from, to, other }) => (
          <tr key={label} data-other={other || undefined}>
            <th scope="row">{label}</th>
            <td>{from}</td>
            <td>{to}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
