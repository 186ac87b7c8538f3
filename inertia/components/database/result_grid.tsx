import { useMemo, useRef } from 'react'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { TableRowsResult } from './types'
import styles from './result_grid.module.css'

interface ResultGridProps {
  label: string
  answer: Pick<TableRowsResult, 'columns' | 'rows'>
  first?: number
}

const ROW_HEIGHT_PX = 32
/** Results with more rows render only the visible ones. */
const MIN_VIRTUALIZED_ROWS = 100
const COLUMN_WIDTH_SAMPLE_ROWS = 50

/** Returns widths in characters, which fit the names and the first 50 rows up to a limit. */
export function columnWidths({ columns, rows }: ResultGridProps['answer']): number[] {
  return columns.map((name, at) => {
    const cells = rows.slice(0, COLUMN_WIDTH_SAMPLE_ROWS).map((row) => (row[at] ?? 'NULL').length)
    const maxLength = columns.length === 1 ? 120 : 40
    return Math.min(Math.max(name.length + 1, 5, ...cells) + 1, maxLength)
  })
}

/** Long values are cut off and appear in full on hover. */
export function ResultGrid({ label, answer, first = 1 }: ResultGridProps) {
  const { columns, rows } = answer
  const box = useRef<HTMLDivElement>(null)
  const widths = useMemo(
    () =>
      `56px ${columnWidths({ columns, rows })
        .map((width) => `${width + 2}ch`)
        .join(' ')} 1fr`,
    [columns, rows]
  )
  const virtual = rows.length > MIN_VIRTUALIZED_ROWS
  // oxlint-disable-next-line react/incompatible-library -- its result is not passed to other components
  const virtualizer = useVirtualizer({
    count: virtual ? rows.length : 0,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT_PX,
    overscan: 12,
    initialRect: { width: 1280, height: 600 },
  })

  const line = (index: number, offset?: number) => (
    <div
      key={index}
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{
        gridTemplateColumns: widths,
        ...(offset !== undefined && { position: 'absolute', top: offset }),
      }}
    >
      <div role="rowheader" className={styles.number}>
        {first + index}
      </div>
      {columns.map((name, at) => {
        const cell = rows[index][at]
        return (
          <div
            key={`${at}-${name}`}
            role="cell"
            className={styles.cell}
            data-null={cell === null || undefined}
            title={cell ?? 'NULL'}
          >
            {cell ?? 'NULL'}
          </div>
        )
      })}
    </div>
  )

  return (
    <div ref={box} className={styles.box} tabIndex={0} role="region" aria-label={label}>
      <div role="table" aria-label={label} aria-rowcount={rows.length + 1} className={styles.table}>
        <div role="rowgroup" className={styles.head}>
          <div
            role="row"
            aria-rowindex={1}
            className={styles.row}
            style={{ gridTemplateColumns: widths }}
          >
            <div role="columnheader" className={styles.number}>
              <span className="visually-hidden">Row</span>
            </div>
            {columns.map((name, at) => (
              <div key={`${at}-${name}`} role="columnheader" className={styles.cell} title={name}>
                {name}
              </div>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className={styles.body}
          style={virtual ? { height: virtualizer.getTotalSize() } : undefined}
        >
          {virtual
            ? virtualizer.getVirtualItems().map(({ index, start }) => line(index, start))
            : rows.map((_, index) => line(index))}
        </div>
      </div>
    </div>
  )
}
