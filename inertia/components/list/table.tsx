import {
  memo,
  useRef,
  useState,
  type Dispatch,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type SetStateAction,
} from 'react'
import { router } from '@inertiajs/react'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import styles from './table.module.css'

export interface Column<Row> {
  label: string
  cell: (row: Row, index: number) => ReactNode
  align?: 'left' | 'right'
  /** Whether the column has tabular figures, for amounts, addresses and keys. */
  mono?: boolean
  /** CSS width. Columns without one share the rest. */
  width?: string
  /** Key by which the server sorts this column. */
  sort?: string
  /**
   * Position of the column on a phone. First line: left (`title`) or right (`aside`). Second line: left (`second`) or
   * right (`action`). `hidden` is the default.
   */
  phone?: 'title' | 'aside' | 'second' | 'action' | 'hidden'
  /** Whether a phone shows the column's label before the value. */
  phoneLabel?: boolean
}

interface TableProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string | number
  /** URL that Enter on a row opens. */
  rowHref?: (row: Row) => string | null
  struck?: (row: Row) => boolean
  details?: (row: Row) => ReactNode
  /** Current sort key, with `-` before it for descending order. */
  sort?: string
  onSort?: (sort: string) => void
  /** Whether skeletons replace the cells. */
  loading?: boolean
  body?: RefObject<HTMLTableSectionElement | null>
}

/** Used when the person presses the down arrow in the search box. */
export function focusFirstRow(body: HTMLTableSectionElement | null) {
  body?.querySelector<HTMLElement>('tr[data-row]')?.focus()
}

/** Returns the sort after a click on a column: ascending, then descending, then the list's default. */
function nextSort(key: string, now = '') {
  if (now === key) return `-${key}`
  return now === `-${key}` ? '' : key
}

function Cell({ content }: { content: ReactNode }) {
  const text = typeof content === 'string' || typeof content === 'number' ? String(content) : null
  return (
    <div className={styles.cell}>{text === null ? content : <span title={text}>{text}</span>}</div>
  )
}

interface ColumnHeadProps {
  column: Pick<Column<never>, 'label' | 'align' | 'width' | 'sort'>
  now?: string
  onSort?: (sort: string) => void
}

function ColumnHead({ column: { label, align, width, sort }, now, onSort }: ColumnHeadProps) {
  const direction = !sort || !now ? 'none' : now === sort ? 'ascending' : 'descending'
  const own = sort !== undefined && (now === sort || now === `-${sort}`)
  return (
    <th
      role="columnheader"
      scope="col"
      data-align={align}
      aria-sort={sort && onSort ? (own ? direction : 'none') : undefined}
      style={width ? { width } : undefined}
    >
      {sort && onSort ? (
        <button type="button" className={styles.sort} onClick={() => onSort(nextSort(sort, now))}>
          {label}
          <span aria-hidden>{own ? (direction === 'ascending' ? '↑' : '↓') : '↕'}</span>
        </button>
      ) : (
        label
      )}
    </th>
  )
}

interface TableRowProps<Row> extends Pick<
  TableProps<Row>,
  'columns' | 'rowHref' | 'struck' | 'details'
> {
  row: Row
  id: string | number
  index: number
  isReachable: boolean
  isOpen: boolean
  setActive: (index: number) => void
  setOpened: Dispatch<SetStateAction<string | number | null>>
}

function TableRow<Row>(props: TableRowProps<Row>) {
  const { row, id, index, columns, rowHref, struck, details, isReachable, isOpen } = props
  const { setActive, setOpened } = props
  const toggle = () => setOpened((opened) => (opened === id ? null : id))

  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>) => {
    const target = event.target as HTMLElement
    if (target.closest('input, select, textarea, [role="menu"], [role="listbox"]')) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const lines = event.currentTarget.parentElement?.querySelectorAll<HTMLElement>('tr[data-row]')
    if (step && lines) {
      const next = Math.max(0, Math.min(index + step, lines.length - 1))
      event.preventDefault()
      setActive(next)
      lines[next].focus()
    } else if (event.key === 'Enter' && target === event.currentTarget) {
      if (details) toggle()
      const href = rowHref?.(row)
      if (href) router.visit(href)
    }
  }

  return (
    <>
      <tr
        role="row"
        data-row
        tabIndex={isReachable ? 0 : -1}
        data-struck={struck?.(row) || undefined}
        data-opens={details ? true : undefined}
        onFocus={() => setActive(index)}
        onKeyDown={onKeyDown}
        onClick={(event) => {
          const at = event.target as HTMLElement
          if (details && !at.closest('a, button, input, select')) toggle()
        }}
      >
        {columns.map((column) => (
          <td
            key={column.label}
            role="cell"
            data-align={column.align}
            data-mono={column.mono || undefined}
            data-phone={column.phone ?? 'hidden'}
            data-label={column.phoneLabel ? column.label : undefined}
          >
            <Cell content={column.cell(row, index)} />
          </td>
        ))}
        {details && (
          <td role="cell" data-align="right" data-phone="action">
            <div className={styles.cell}>
              <button
                type="button"
                className={styles.open}
                aria-expanded={isOpen}
                aria-label="Details"
                onClick={toggle}
              >
                <IconChevronDown size={16} stroke={1.75} aria-hidden />
              </button>
            </div>
          </td>
        )}
      </tr>
      {isOpen && details && (
        <tr role="row" className={styles.details}>
          <td role="cell" colSpan={columns.length + 1}>
            {details(row)}
          </td>
        </tr>
      )}
    </>
  )
}

/** Without memoization, a click would render hundreds of unchanged rows again. */
const MemoizedTableRow = memo(TableRow) as typeof TableRow

/** Up and Down move between rows, Enter opens one. On narrow screens, a row has two lines. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, rowHref, struck, details, sort, onSort } = props
  const { loading, body } = props
  const own = useRef<HTMLTableSectionElement>(null)
  const [active, setActive] = useState(0)
  const [opened, setOpened] = useState<string | number | null>(null)
  const reachable = Math.min(active, rows.length - 1)

  return (
    <table
      className={styles.table}
      role="table"
      aria-label={label}
      aria-busy={loading || undefined}
    >
      <thead role="rowgroup">
        <tr role="row">
          {columns.map((column) => (
            <ColumnHead key={column.label} column={column} now={sort} onSort={onSort} />
          ))}
          {details && (
            <th role="columnheader" scope="col" style={{ width: '48px' }}>
              <span className="visually-hidden">Details</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody ref={body ?? own} role="rowgroup" data-loading={loading || undefined}>
        {rows.map((row, index) => {
          const id = rowKey(row)
          return (
            <MemoizedTableRow
              key={id}
              row={row}
              id={id}
              index={index}
              columns={columns}
              rowHref={rowHref}
              struck={struck}
              details={details}
              setActive={setActive}
              setOpened={setOpened}
              isReachable={index === reachable}
              isOpen={details !== undefined && opened === id}
            />
          )
        })}
      </tbody>
    </table>
  )
}
