import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react'
import { Checkbox } from '@mantine/core'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs'
import IconFile from '@tabler/icons-react/dist/esm/icons/IconFile.mjs'
import IconFolder from '@tabler/icons-react/dist/esm/icons/IconFolder.mjs'
import IconLink from '@tabler/icons-react/dist/esm/icons/IconLink.mjs'
import { DateText } from '@ui/date_text'
import { Link } from '~/components/link'
import { visit } from '~/visit'
import {
  editorHref,
  type FileManagerArea,
  folderHref,
  entryKey,
  entryPath,
} from './paths_and_links'
import { formatSize } from './format_size'
import { sortRows, type SortOrder, type SortKey } from './sort_rows'
import type { FileRow } from './types'
import styles from './file_table.module.css'

interface FileTableProps {
  rows: FileRow[]
  path: string
  instance: number | null
  area?: FileManagerArea
  /** `point`: position of the menu in the window. */
  onMenu: (row: FileRow, point: { x: number; y: number }) => void
  onDelete: (row: FileRow) => void
  onRename: (row: FileRow) => void
  onCopy: (row: FileRow) => void
  onCut: (row: FileRow) => void
  /** Keys of selected rows, from `entryKey`. */
  selected: ReadonlySet<string>
  onSelect: (selected: ReadonlySet<string>) => void
  /** Keys of rows that were cut and not pasted yet. */
  cut: ReadonlySet<string>
}

const columns: { key: SortKey; label: string }[] = [
  { key: 'name', label: 'Name' },
  { key: 'size', label: 'Size' },
  { key: 'modified', label: 'Modified' },
  { key: 'mode', label: 'Mode' },
]

/** Lists with more rows render only the visible ones. */
const MIN_VIRTUALIZED_ROWS = 200
const ROW_HEIGHT_PX = 40
const PHONE_ROW_HEIGHT_PX = 60

export function entryHref(
  row: FileRow,
  path: string,
  instance: number | null,
  area?: FileManagerArea
) {
  const full = entryPath(path, row)
  return row.type === 'folder' ? folderHref(full, instance, area) : editorHref(full, instance, area)
}

/**
 * Up, Down, Home and End move the focus. With Shift, they extend the selection. Space toggles a row, Control+A selects
 * all rows, Escape none. Enter opens, F2 renames, Delete deletes, Control+C copies, Control+X cuts.
 */
export function FileTable(props: FileTableProps) {
  const { rows, path, instance, area, onMenu, onDelete, onRename, onCopy, onCut } = props
  const { selected, onSelect, cut } = props
  const [sorting, setSorting] = useState<SortOrder>({ by: 'name', down: false })
  const [current, setCurrent] = useState(0)
  const [height, setHeight] = useState(ROW_HEIGHT_PX)
  const [margin, setMargin] = useState(0)
  const body = useRef<HTMLDivElement>(null)
  const wanted = useRef<number | null>(null)
  /** The key of the row where a range selection starts. */
  const anchor = useRef<string | null>(null)
  const sorted = useMemo(() => sortRows(rows, sorting), [rows, sorting])
  const virtual = rows.length > MIN_VIRTUALIZED_ROWS

  useEffect(() => {
    const measure = () => {
      setHeight(
        window.matchMedia('(max-width: 43.99em)').matches ? PHONE_ROW_HEIGHT_PX : ROW_HEIGHT_PX
      )
      setMargin(body.current ? body.current.getBoundingClientRect().top + window.scrollY : 0)
    }
    measure()
    window.addEventListener('resize', measure)
    return () => window.removeEventListener('resize', measure)
  }, [])

  // oxlint-disable-next-line react/incompatible-library -- what it returns is passed to nobody
  const virtualizer = useWindowVirtualizer({
    count: virtual ? sorted.length : 0,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: margin,
    initialRect: { width: 1280, height: 900 },
  })
  useEffect(() => virtualizer.measure(), [height, virtualizer])

  useEffect(() => {
    if (wanted.current === null) return
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"]`)
    if (!row) return
    wanted.current = null
    row.focus()
  })

  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(sorted.length - 1, index))
    wanted.current = next
    setCurrent(next)
    if (virtual) virtualizer.scrollToIndex(next)
  }

  const toggle = (index: number) => {
    const key = entryKey(sorted[index])
    anchor.current = key
    const next = new Set(selected)
    if (!next.delete(key)) next.add(key)
    onSelect(next)
  }

  /** Selects exactly the rows from the start of the range to this row. */
  const extendTo = (index: number, otherwise = index) => {
    const known = sorted.findIndex((row) => entryKey(row) === anchor.current)
    const from = known === -1 ? otherwise : known
    const to = Math.max(0, Math.min(sorted.length - 1, index))
    anchor.current = entryKey(sorted[from])
    onSelect(new Set(sorted.slice(Math.min(from, to), Math.max(from, to) + 1).map(entryKey)))
  }

  const pick = (index: number, event: { shiftKey: boolean }) =>
    event.shiftKey ? extendTo(index) : toggle(index)

  const selectedCount = sorted.filter((row) => selected.has(entryKey(row))).length
  const areAllSelected = selectedCount === sorted.length
  const selectAll = (all: boolean) => onSelect(new Set(all ? sorted.map(entryKey) : []))

  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const isBox = event.target instanceof HTMLInputElement
    if (event.target !== event.currentTarget && !isBox) return
    const row = sorted[index]
    const moves: Record<string, number> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      Home: 0,
      End: sorted.length - 1,
    }
    if (event.ctrlKey || event.metaKey) {
      const key = event.key.toLowerCase()
      // If the person has selected text, the browser must copy this text instead of the file.
      const isText = window.getSelection()?.isCollapsed === false
      if (key === 'a') selectAll(true)
      else if (key === 'c' && !isText) onCopy(row)
      else if (key === 'x' && !isText) onCut(row)
      else return
    } else if (event.key in moves) {
      if (event.shiftKey) extendTo(moves[event.key], index)
      else anchor.current = null
      goTo(moves[event.key])
    } else if (event.key === 'Escape' && selectedCount > 0) selectAll(false)
    else if (event.key === 'Delete') onDelete(row)
    else if (event.key === 'F2') onRename(row)
    else if (isBox) return
    else if (event.key === ' ') pick(index, event)
    else if (event.key === 'Enter') visit(entryHref(row, path, instance, area))
    else return
    event.preventDefault()
  }

  /**
   * Handles clicks on a row outside its links, buttons and checkbox. Shift extends the range,
   * Control toggles the row, a plain click starts a new range.
   */
  const onClick = (event: MouseEvent<HTMLElement>, index: number) => {
    if ((event.target as Element).closest('a, button, input')) return
    if (event.shiftKey) extendTo(index)
    else if (event.ctrlKey || event.metaKey) toggle(index)
    else anchor.current = entryKey(sorted[index])
  }

  const openMenu = (event: MouseEvent<HTMLElement>, row: FileRow, below = false) => {
    event.preventDefault()
    const box = event.currentTarget.getBoundingClientRect()
    const point =
      below || (event.clientX === 0 && event.clientY === 0)
        ? { x: below ? box.left : box.left + 24, y: box.bottom }
        : { x: event.clientX, y: event.clientY }
    onMenu(row, point)
  }

  const line = (index: number, offset?: number) => {
    const row = sorted[index]
    const key = entryKey(row)
    const href = entryHref(row, path, instance, area)
    return (
      <div
        key={`${row.type}/${key}`}
        role="row"
        aria-rowindex={index + 2}
        data-index={index}
        className={styles.row}
        data-selected={selected.has(key) || undefined}
        data-cut={cut.has(key) || undefined}
        style={offset === undefined ? undefined : { position: 'absolute', top: offset, height }}
        tabIndex={index === Math.min(current, sorted.length - 1) ? 0 : -1}
        onFocus={() => setCurrent(index)}
        onKeyDown={(event) => onKeyDown(event, index)}
        onMouseDown={(event) => {
          if (event.shiftKey) event.preventDefault()
        }}
        onClick={(event) => onClick(event, index)}
        onContextMenu={(event) => openMenu(event, row)}
      >
        <div role="cell" className={styles.pick}>
          <Checkbox
            size="xs"
            tabIndex={-1}
            aria-label={`Select ${row.name}`}
            checked={selected.has(key)}
            onChange={({ nativeEvent }) =>
              pick(index, { shiftKey: 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true })
            }
          />
        </div>
        <div role="cell" className={styles.name}>
          {row.type === 'folder' ? (
            <IconFolder size={18} stroke={1.75} className={styles.folder} aria-label="Folder" />
          ) : (
            <IconFile size={18} stroke={1.75} className={styles.file} aria-label="File" />
          )}
          <Link href={href} prefetch={false} tabIndex={-1} title={row.name}>
            {row.name}
          </Link>
          {row.link !== undefined && (
            <span className={styles.link} title={`Symbolic link to ${row.link}`}>
              <IconLink size={14} stroke={1.75} aria-hidden />
              {row.link}
            </span>
          )}
        </div>
        <div role="cell" className={styles.size}>
          {row.type === 'folder' ? '' : formatSize(row.size)}
        </div>
        <div role="cell" className={styles.time}>
          <DateText value={row.modified} shape="moment" />
        </div>
        <div role="cell" className={styles.mode}>
          {row.mode}
        </div>
        <div role="cell" className={styles.action}>
          <button
            type="button"
            className={styles.dots}
            aria-label={`Actions for ${row.name}`}
            aria-haspopup="menu"
            onClick={(event) => openMenu(event, row, true)}
          >
            <IconDots size={18} stroke={1.75} aria-hidden />
          </button>
        </div>
      </div>
    )
  }

  return (
    <div role="table" aria-label="Folders and files" aria-rowcount={rows.length + 1}>
      <div role="rowgroup">
        <div role="row" className={styles.head} aria-rowindex={1}>
          <div role="columnheader" className={styles.pick}>
            <Checkbox
              size="xs"
              aria-label="Select all"
              checked={areAllSelected}
              indeterminate={selectedCount > 0 && !areAllSelected}
              onChange={() => selectAll(!areAllSelected)}
            />
          </div>
          {columns.map(({ key, label }) => (
            <div
              key={key}
              role="columnheader"
              className={styles[key === 'modified' ? 'time' : key]}
              aria-sort={
                sorting.by === key ? (sorting.down ? 'descending' : 'ascending') : undefined
              }
            >
              <button
                type="button"
                onClick={() => setSorting({ by: key, down: sorting.by === key && !sorting.down })}
              >
                {label}
                <span aria-hidden>{sorting.by === key ? (sorting.down ? ' ↓' : ' ↑') : ''}</span>
              </button>
            </div>
          ))}
          <div role="columnheader" className={styles.action}>
            <span className="visually-hidden">Actions</span>
          </div>
        </div>
      </div>
      <div
        role="rowgroup"
        ref={body}
        className={styles.body}
        style={virtual ? { height: virtualizer.getTotalSize() } : undefined}
      >
        {virtual
          ? virtualizer.getVirtualItems().map(({ index, start }) => line(index, start - margin))
          : sorted.map((_, index) => line(index))}
      </div>
    </div>
  )
}
