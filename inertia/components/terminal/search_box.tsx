import { useEffect, useRef, type KeyboardEvent } from 'react'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import IconChevronUp from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { ToolButton } from './tool_button'
import styles from './terminal_panel.module.css'

export interface SearchMatches {
  /** Zero-based index of the current match. -1 if there is none, or if there are too many matches to count. */
  index: number
  count: number
}

interface SearchBoxProps {
  text: string
  matches: SearchMatches
  onText: (text: string) => void
  onNext: () => void
  onPrevious: () => void
  onClose: () => void
}

function matchesLabel({ index, count }: SearchMatches, text: string) {
  if (!text) return ''
  if (count === 0) return 'No results'
  return index < 0 ? `${count}+ found` : `${index + 1} of ${count}`
}

export function SearchBox({ text, matches, onText, onNext, onPrevious, onClose }: SearchBoxProps) {
  const input = useRef<HTMLInputElement>(null)

  useEffect(() => {
    input.current?.select()
  }, [])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    else if (event.key !== 'Enter') return
    else if (event.shiftKey) onPrevious()
    else onNext()
    event.preventDefault()
  }

  return (
    <div role="search" aria-label="Terminal" className={styles.search}>
      <input
        ref={input}
        type="text"
        aria-label="Search in terminal"
        placeholder="Search"
        value={text}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <span role="status" className={styles.found}>
        {matchesLabel(matches, text)}
      </span>
      <ToolButton label="Previous match" icon={IconChevronUp} onClick={onPrevious} />
      <ToolButton label="Next match" icon={IconChevronDown} onClick={onNext} />
      <ToolButton label="Close search" icon={IconX} onClick={onClose} />
    </div>
  )
}
