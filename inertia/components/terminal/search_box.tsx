import { useEffect, useRef, type KeyboardEvent } from 'react'
import IconChevronDown from '@tabler/icons-react/dist/esm/icons/IconChevronDown.mjs'
import IconChevronUp from '@tabler/icons-react/dist/esm/icons/IconChevronUp.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import { ToolButton } from './tool_button'
import styles from './panel.module.css'

export interface Found {
  /** From 0; -1 when there are too many to count. */
  index: number
  count: number
}

interface SearchBoxProps {
  text: string
  found: Found
  onText: (text: string) => void
  onNext: () => void
  onPrevious: () => void
  onClose: () => void
}

function words({ index, count }: Found, text: string) {
  if (!text) return ''
  if (count === 0) return 'No results'
  return index < 0 ? `${count}+ found` : `${index + 1} of ${count}`
}

/** Finds text in what the terminal has shown. */
export function SearchBox({ text, found, onText, onNext, onPrevious, onClose }: SearchBoxProps) {
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
        {words(found, text)}
      </span>
      <ToolButton label="Previous match" icon={IconChevronUp} onClick={onPrevious} />
      <ToolButton label="Next match" icon={IconChevronDown} onClick={onNext} />
      <ToolButton label="Close search" icon={IconX} onClick={onClose} />
    </div>
  )
}
