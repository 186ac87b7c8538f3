import { Code } from '@mantine/core'
import type { Column } from '~/components/list/table'
import type { ActivityRow } from '#identity/transformers/pages'
import { DateText } from '@ui/date_text'

export type { ActivityRow }

type Values = NonNullable<ActivityRow['before']>

/** `person.change_email` as "Person: change email". */
export function actionWords(action: string) {
  const [noun, ...rest] = action.split('.')
  const words = [noun, rest.join(' ')].map((part) => part.replaceAll('_', ' '))
  const text = rest.length ? words.join(': ') : words[0]
  return text.charAt(0).toUpperCase() + text.slice(1)
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

function Changes({ row }: { row: ActivityRow }) {
  const found = changes(row.before, row.after)
  if (found.length === 0) return <>-</>
  return (
    <div>
      {found.map(({ name, from, to }) => (
        <div key={name}>
          {spaced(name)}: {from !== null && <Code>{from}</Code>}{' '}
          {from !== null && to !== null && 'to '}
          {to !== null && <Code>{to}</Code>}
        </div>
      ))}
    </div>
  )
}

/** Who did what to which thing, when and from where. */
export const activityColumns: Column<ActivityRow>[] = [
  {
    label: 'When',
    cell: (row) => <DateText value={row.at} shape="moment" />,
    phone: 'aside',
    width: '165px',
  },
  { label: 'Action', cell: (row) => actionWords(row.action), phone: 'title', width: '15%' },
  {
    label: 'What',
    cell: (row) => row.subject.label ?? `${row.subject.type} ${row.subject.id}`,
    width: '17%',
  },
  { label: 'Change', cell: (row) => <Changes row={row} />, phone: 'hidden' },
  { label: 'Who', cell: (row) => row.who, width: '20%' },
  { label: 'From', cell: (row) => row.ip ?? '-', mono: true, phone: 'action', width: '125px' },
]
