import { useId, useState, type KeyboardEvent, type ReactNode } from 'react'
import styles from './tabs.module.css'

export interface Tab {
  key: string
  label: string
  count?: number
  panel: ReactNode
  /** Whether the panel stays mounted while another tab is shown. Needed for a terminal, for example. */
  keepAlive?: boolean
}

interface TabsProps {
  tabs: Tab[]
  value: string
  onChange: (key: string) => void
  label: string
  /** Links beside the tabs, which lead to other pages. */
  aside?: ReactNode
}

export function Tabs({ tabs, value, onChange, label, aside }: TabsProps) {
  const id = useId()
  const current = tabs.find((tab) => tab.key === value) ?? tabs[0]
  const [seen, setSeen] = useState([current.key])
  if (!seen.includes(current.key)) setSeen([...seen, current.key])

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const at = tabs.indexOf(current)
    const to = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at - 1 + tabs.length) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key]
    if (to === undefined) return
    event.preventDefault()
    onChange(tabs[to].key)
    ;(event.currentTarget.children[to] as HTMLElement).focus()
  }

  return (
    <div>
      <div className={styles.bar}>
        <div role="tablist" aria-label={label} className={styles.tabs} onKeyDown={onKeyDown}>
          {tabs.map(({ key, label: text, count }) => (
            <button
              key={key}
              type="button"
              role="tab"
              id={`${id}-${key}-tab`}
              aria-controls={`${id}-${key}`}
              aria-selected={key === current.key}
              tabIndex={key === current.key ? 0 : -1}
              onClick={() => key !== current.key && onChange(key)}
            >
              {text}
              {count !== undefined && <span>{count}</span>}
            </button>
          ))}
        </div>
        {aside}
      </div>
      {tabs.map(({ key, panel, keepAlive }) => {
        const shown = key === current.key
        return (
          <div
            key={key}
            role="tabpanel"
            id={`${id}-${key}`}
            aria-labelledby={`${id}-${key}-tab`}
            hidden={!shown}
            className={styles.panel}
          >
            {(shown || (keepAlive && seen.includes(key))) && panel}
          </div>
        )
      })}
    </div>
  )
}
