import { useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react'
import { router } from '@inertiajs/react'
import styles from './table.module.css'

export interface Column<Row> {
  /** the label of the column, as specified */
  label: string
  cell: (row: Row, index: number) => ReactNode
  align?: 'left' | 'right'
  /** tabular figures: amounts, addresses, keys */
  mono?: boolean
  /** any CSS width */
  width?: string
  /**
   * Where the cell goes on a phone: first line left (title) or right (aside), second line left
   * (second, the default) or right (action), or nowhere.
   */
  phone?: 'title' | 'aside' | 'second' | 'action' | 'hidden'
  /** says the label before the value on a phone */
  phoneLabel?: boolean
}

interface TableProps<Row> {
  label: string
  columns: Column<Row>[]
  rows: Row[]
  rowKey: (row: Row) => string | number
  /** where Enter on a row leads */
  rowHref?: (row: Row) => string | null
  /** rows that are over: deleted, rejected */
  struck?: (row: Row) => boolean
  /** shows bones of the same shape in place of the cells */
  loading?: boolean
  body?: RefObject<HTMLTableSectionElement | null>
}

/** Focuses the first row of a list; from its search box by the down arrow. */
export function focusFirstRow(body: HTMLTableSectionElement | null) {
  body?.querySelector('tr')?.focus()
}

/** Rows of 40 px under a sticky header; up, down and Enter work; two-line rows on a phone. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, rowKey, rowHref, struck, loading, body } = props
  const own = useRef<HTMLTableSectionElement>(null)
  const [active, setActive] = useState(0)
  const reachable = Math.min(active, rows.length - 1)

  const onKeyDown = (event: KeyboardEvent<HTMLTableRowElement>, row: Row, index: number) => {
    const target = event.target as HTMLElement
    if (target.closest('input, select, textarea, [role="menu"], [role="listbox"]')) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const lines = event.currentTarget.parentElement?.children
    if (step && lines) {
      const next =
        event.key === 'ArrowDown' ? Math.min(index + 1, rows.length - 1) : Math.max(index - 1, 0)
      event.preventDefault()
      setActive(next)
      ;(lines[next] as HTMLElement).focus()
    } else if (event.key === 'Enter' && target === event.currentTarget) {
      const href = rowHref?.(row)
      if (href) router.visit(href)
    }
  }

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
            <th
              key={column.label}
              role="columnheader"
              scope="col"
              data-align={column.align}
              style={column.width ? { width: column.width } : undefined}
            >
              {column.label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody ref={body ?? own} role="rowgroup" data-loading={loading || undefined}>
        {rows.map((row, index) => (
          <tr
            key={rowKey(row)}
            role="row"
            tabIndex={index === reachable ? 0 : -1}
            data-struck={struck?.(row) || undefined}
            onFocus={() => setActive(index)}
            onKeyDown={(event) => onKeyDown(event, row, index)}
          >
            {columns.map((column) => (
              <td
                key={column.label}
                role="cell"
                data-align={column.align}
                data-mono={column.mono || undefined}
                data-phone={column.phone ?? 'second'}
                data-label={column.phoneLabel ? column.label : undefined}
              >
                <div className={styles.cell}>{column.cell(row, index)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
