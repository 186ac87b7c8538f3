import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { usePage } from '@inertiajs/react'
import { Modal } from '@mantine/core'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import type { SearchResult } from '#core/contracts/menu_and_dashboard'
import { call } from '~/api_call'
import { prefixForArea } from '~/area_prefix'
import type { Area, SharedProps } from '~/types'
import type { UserMenuEntry } from '~/layouts/user_menu'
import { postVisit, visit } from '~/visit'
import {
  actionEntries,
  filterEntries,
  pageEntries,
  userMenuPaletteEntries,
  type PaletteEntry,
} from './palette_entries'
import styles from './command_palette.module.css'

interface CommandPaletteProps {
  area: Area
  userMenu: UserMenuEntry[]
  /** Opens the list of keyboard shortcuts. */
  onKeys: () => void
  onClose: () => void
}

const SEARCH_DEBOUNCE_MS = 150
const MIN_QUERY_LENGTH = 2

function useSearchResults(area: Area, text: string) {
  const [result, setResult] = useState<{ text: string; entries: SearchResult[] } | null>(null)
  useEffect(() => {
    if (text.length < MIN_QUERY_LENGTH) return
    const leaving = new AbortController()
    const timer = window.setTimeout(async () => {
      const { data } = await call<{ things: SearchResult[] }>(`${prefixForArea(area)}/find`, {
        method: 'GET',
        data: { words: text },
        signal: leaving.signal,
        toasts: 'none',
      })
      if (!leaving.signal.aborted) setResult({ text, entries: data?.things ?? [] })
    }, SEARCH_DEBOUNCE_MS)
    return () => {
      window.clearTimeout(timer)
      leaving.abort()
    }
  }, [area, text])
  const isLongEnough = text.length >= MIN_QUERY_LENGTH
  return {
    things: isLongEnough ? (result?.entries ?? []) : [],
    looking: isLongEnough && result?.text !== text,
  }
}

export default function CommandPalette({ area, userMenu, onKeys, onClose }: CommandPaletteProps) {
  const { menu, unavailable } = usePage<SharedProps>().props
  const [text, setText] = useState('')
  const [selected, choose] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const query = text.trim()
  const { things, looking } = useSearchResults(area, query)
  const known = [
    ...pageEntries(menu, unavailable),
    ...actionEntries(menu, unavailable),
    ...userMenuPaletteEntries(userMenu),
  ]
  const choices: PaletteEntry[] = [...filterEntries(known, query), ...things]
  const at = Math.min(selected, choices.length - 1)

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const go = (choice: PaletteEntry) => {
    onClose()
    if (choice.method === 'post') postVisit(choice.href, choice.data)
    else visit(choice.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step && choices.length) {
      event.preventDefault()
      choose((at + step + choices.length) % choices.length)
    } else if (event.key === 'Enter' && choices[at]) {
      event.preventDefault()
      go(choices[at])
    } else if (event.key === '?' && !text) {
      event.preventDefault()
      onKeys()
    }
  }

  return (
    <Modal.Root opened onClose={onClose} size={600} yOffset="12vh" centered={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Find pages and resources">
        <Modal.Body p={0}>
          <div className={styles.field}>
            <IconSearch size={18} stroke={1.75} aria-hidden />
            <input
              type="text"
              role="combobox"
              data-autofocus
              autoComplete="off"
              spellCheck={false}
              aria-label="Find a page, an action or a resource by name"
              aria-expanded
              aria-controls={id}
              aria-activedescendant={choices[at] ? `${id}-${at}` : undefined}
              placeholder="Find a page, an action or a resource"
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value)
                choose(0)
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <ul role="listbox" id={id} ref={list} aria-label="Results" className={styles.list}>
            {choices.map((choice, index) => (
              <li
                key={`${choice.kind} ${choice.href} ${choice.name}`}
                role="option"
                id={`${id}-${index}`}
                aria-selected={index === at}
                className={styles.choice}
                onMouseMove={({ movementX, movementY }) => {
                  // Browsers report a mouse move even if the list moves under a resting mouse. Such a report must not
                  // change the selection.
                  if (movementX !== 0 || movementY !== 0) choose(index)
                }}
                onClick={() => go(choice)}
              >
                <span className={styles.name} title={choice.name}>
                  {choice.name}
                </span>
                {choice.detail && (
                  <span className={styles.detail} title={choice.detail}>
                    {choice.detail}
                  </span>
                )}
                <span className={styles.kind}>
                  {choice.key ? (
                    <>
                      <kbd>g</kbd> <kbd>{choice.key}</kbd>
                    </>
                  ) : (
                    choice.kind
                  )}
                </span>
              </li>
            ))}
          </ul>
          <p role="status" className={styles.said}>
            {looking
              ? 'Searching…'
              : choices.length === 0
                ? `No results for “${query}”.`
                : 'Arrow keys select, Enter opens, ? shows all shortcuts.'}
          </p>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
