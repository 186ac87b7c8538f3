import { Code } from '@mantine/core'
import { DescriptionList } from '~/components/description_list'
import type { Column } from '~/components/list/table'
import { Link } from '~/components/link'
import { resourceHref } from '~/resource_href'
import { DateText } from '@ui/date_text'
import type { AuditEntryView } from '#core/audit/entry'

export type ActivityRow = AuditEntryView

/** Returns `Ada` for `Ada <ada@example.com>`. */
export function nameWithoutEmail(who: string) {
  return who.replace(/\s*<[^<>]*>$/, '') || who
}

/** Formats a value: `{ ram: { value: 1, unit: 'GB' } }` becomes "ram 1 GB". */
function formatValue(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value !== 'object') return String(value)
  const parts: [string, unknown][] = Object.entries(value)
  if (parts.length === 0) return 'none'
  if (Array.isArray(value)) return value.map(formatValue).join(', ')
  if ('value' in value) return parts.map(([, part]) => formatValue(part)).join(' ')
  return parts.map(([name, part]) => `${splitIdentifier(name)} ${formatValue(part)}`).join(', ')
}

/** Returns the words of an identifier: "instance type" for `instanceType` and `instance_type`. */
function splitIdentifier(name: string) {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

type Values = NonNullable<ActivityRow['before']>

export function changedFields(before: Values | null, after: Values | null) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .filter((name) => formatValue(before?.[name]) !== formatValue(after?.[name]))
    .map((name) => ({
      name,
      from: before && name in before ? formatValue(before[name]) : null,
      to: after && name in after ? formatValue(after[name]) : null,
    }))
}

interface DetailsProps {
  row: ActivityRow
  prefix: '' | '/admin'
}

export function ActivityDetails({ row, prefix }: DetailsProps) {
  const { type, id, label } = row.subject
  const name = label ?? `${type.replaceAll('_', ' ')} ${id}`
  const page = resourceHref(row.subject, prefix)
  return (
    <DescriptionList
      label="Details"
      rows={[
        { label: 'Time', value: <DateText value={row.at} shape="exact" /> },
        {
          label: 'Person',
          value: (
            <span>
              {row.who}{' '}
              {prefix === '/admin' && (
                <Link href={`/admin/audit?person=${row.person}`}>Show only this person</Link>
              )}
            </span>
          ),
        },
        {
          label: 'Resource',
          value: page ? <Link href={page}>{name}</Link> : name,
        },
        { label: 'IP address', value: row.ip && <span className="mono">{row.ip}</span> },
        { label: 'Action', value: <code>{row.action}</code> },
        ...changedFields(row.before, row.after).map(({ name: what, from, to }) => ({
          label: capitalised(splitIdentifier(what)),
          value: (
            <span>
              {from !== null && <Code>{from}</Code>}
              {from !== null && to !== null && ' to '}
              {to !== null && <Code>{to}</Code>}
            </span>
          ),
        })),
      ]}
    />
  )
}

function capitalised(text: string) {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export const activityColumns: Column<ActivityRow>[] = [
  {
    label: 'Time',
    sort: 'when',
    cell: (row) => <DateText value={row.at} shape="moment" />,
    phone: 'second',
    width: '190px',
  },
  {
    label: 'Person',
    sort: 'who',
    cell: (row) => <span title={row.who}>{nameWithoutEmail(row.who)}</span>,
    phone: 'second',
    width: '24%',
  },
  { label: 'Action', cell: (row) => row.sentence, phone: 'title' },
]
