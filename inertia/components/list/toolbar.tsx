import type { KeyboardEvent, ReactNode } from 'react'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { PAGE_SIZES } from './list_state'
import styles from './toolbar.module.css'

interface StatusFilterProps {
  statuses: Record<string, string>
  counts?: Record<string, number>
  /** Number of all entries; default: the sum of `counts`. */
  total?: number
  /** Label of the button that shows all entries, such as "All Projects". */
  all: string
  value: string
  onChange: (status: string) => void
}

export function StatusFilter({ statuses, counts, total, all, value, onChange }: StatusFilterProps) {
  const sum = counts && Object.values(counts).reduce((before, count) => before + count, 0)
  const buttons = [{ key: '', label: all, count: total ?? sum }].concat(
    Object.entries(statuses).map(([key, label]) => ({
      key,
      label,
      count: counts && (counts[key] ?? 0),
    }))
  )
  return (
    <div className={styles.statuses} role="group" aria-label="Filter by status">
      {buttons.map(({ key, label, count }) => (
        <button
          key={key}
          type="button"
          className={styles.status}
          aria-pressed={value === key}
          onClick={() => onChange(key)}
        >
          {label}
          {count !== undefined && <span className={styles.count}>{count}</span>}
        </button>
      ))}
    </div>
  )
}

interface SearchBoxProps {
  label: string
  value: string
  onChange: (text: string) => void
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
  onBlur?: () => void
}

export function SearchBox({ label, value, onChange, onKeyDown, onBlur }: SearchBoxProps) {
  return (
    <div className={styles.search}>
      <IconSearch size={16} stroke={1.75} aria-hidden className={styles.glass} />
      <input
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        spellCheck={false}
        aria-label={label}
        placeholder={label}
        value={value}
        title={label}
        onChange={(event) => onChange(event.currentTarget.value)}
        onBlur={onBlur}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && value) onChange('')
          onKeyDown?.(event)
        }}
      />
      {value && (
        <button
          type="button"
          className={styles.clear}
          aria-label="Clear search"
          onClick={() => onChange('')}
        >
          <IconX size={14} stroke={1.75} aria-hidden />
        </button>
      )}
    </div>
  )
}

interface SortSelectProps {
  sorts: Record<string, string>
  value: string
  onChange: (sort: string) => void
  /** Whether the menu is always shown. Default: only on narrow screens, where a table has no headers to click. */
  always?: boolean
}

export function SortSelect({ sorts, value, onChange, always }: SortSelectProps) {
  return (
    <label className={styles.size} data-sort={always ? 'always' : 'narrow'}>
      <span>Sort by</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">Default</option>
        {Object.entries(sorts).flatMap(([key, label]) => [
          <option key={key} value={key}>{`${label} ↑`}</option>,
          <option key={`-${key}`} value={`-${key}`}>{`${label} ↓`}</option>,
        ])}
      </select>
    </label>
  )
}

export function PageSizeSelect({
  value,
  onChange,
}: {
  value: number
  onChange: (length: number) => void
}) {
  const sizes = PAGE_SIZES.includes(value) ? PAGE_SIZES : [value, ...PAGE_SIZES]
  return (
    <label className={styles.size}>
      <span>Rows</span>
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {sizes.map((size) => (
          <option key={size} value={size}>
            {size}
          </option>
        ))}
      </select>
    </label>
  )
}

export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles.bar}>{children}</div>
}

export function ToolbarEnd({ children }: { children: ReactNode }) {
  return <div className={styles.end}>{children}</div>
}
