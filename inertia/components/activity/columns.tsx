import { Code } from '@mantine/core'
import { FactTable } from '~/components/fact_table'
import type { Column } from '~/components/list/table'
import { Link } from '~/components/link'
import { pageOf } from '~/resource_pages'
import { DateText } from '@ui/date_text'
import type { EntryView } from '#core/audit/entry'

/** A line of the audit log. */
export type ActivityRow = EntryView

/** `Ada <ada@example.com>` as its name. */
export function nameOf(who: string) {
  return who.replace(/\s*<[^<>]*>$/, '') || who
}

/** A value in words: `{ ram: { value: 1, unit: 'GB' } }` as "ram 1 GB". */
function show(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value !== 'object') return String(value)
  const parts: [string, unknown][] = Object.entries(value)
  if (parts.length === 0) return 'none'
  if (Array.isArray(value)) return value.map(show).join(', ')
  if ('value' in value) return parts.map(([, part]) => show(part)).join(' ')
  return parts.map(([name, part]) => `${spaced(name)} ${show(part)}`).join(', ')
}

/** `instanceType` and `instance_type` as "instance type". */
function spaced(name: string) {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase()
}

type Values = NonNullable<ActivityRow['before']>

/** What changed, from and to: only the values that differ. */
export function changes(before: Values | null, after: Values | null) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .filter((name) => show(before?.[name]) !== show(after?.[name]))
    .map((name) => ({
      name,
      from: before && name in before ? show(before[name]) : null,
      to: after && name in after ? show(after[name]) : null,
    }))
}

interface DetailsProps {
  row: ActivityRow
  prefix: '' | '/admin'
}

/** Everything that a line of the log knows: what changed, from and to; of what; from where. */
export function ActivityDetails({ row, prefix }: DetailsProps) {
  const { type, id, label } = row.subject
  const name = label ?? `${type.replaceAll('_', ' ')} ${id}`
  const page = pageOf(row.subject, prefix)
  return (
    <FactTable
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
          label: 'Subject',
          value: page ? <Link href={page}>{name}</Link> : name,
        },
        { label: 'IP address', value: row.ip && <span className="mono">{row.ip}</span> },
        { label: 'Action', value: <code>{row.action}</code> },
        ...changes(row.before, row.after).map(({ name: what, from, to }) => ({
          label: capitalised(spaced(what)),
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

/** When, who, and what happened in one sentence. */
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
    cell: (row) => <span title={row.who}>{nameOf(row.who)}</span>,
    phone: 'second',
    width: '24%',
  },
  { label: 'Action', cell: (row) => row.sentence, phone: 'title' },
]
