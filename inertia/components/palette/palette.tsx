import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react'
import { usePage } from '@inertiajs/react'
import { Modal } from '@mantine/core'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import type { SearchResult } from '#core/contracts/menu'
import { call } from '~/api_call'
import { prefixOf } from '~/area'
import type { Area, SharedProps } from '~/types'
import { visit } from '~/visit'
import { actionsOf, matching, pagesOf, type Choice } from './pages'
import styles from './palette.module.css'

interface PaletteProps {
  area: Area
  /** shows the keys */
  onKeys: () => void
  onClose: () => void
}

const SEARCH_DEBOUNCE_MS = 150
/** Shorter words are not asked for. */
const MIN_QUERY_LENGTH = 2

/** The things with these words in their names, as far as they have been found. */
function useFound(area: Area, words: string) {
  const [found, setFound] = useState<{ words: string; things: SearchResult[] } | null>(null)
  useEffect(() => {
    if (words.length < MIN_QUERY_LENGTH) return
    const leaving = new AbortController()
    const timer = window.setTimeout(async () => {
      const { data } = await call<{ things: SearchResult[] }>(`${prefixOf(area)}/find`, {
        method: 'GET',
        data: { words },
        signal: leaving.signal,
        toasts: 'none',
      })
      if (!leaving.signal.aborted) setFound({ words, things: data?.things ?? [] })
    }, SEARCH_DEBOUNCE_MS)
    return () => {
      window.clearTimeout(timer)
      leaving.abort()
    }
  }, [area, words])
  const isAsked = words.length >= MIN_QUERY_LENGTH
  return {
    things: isAsked ? (found?.things ?? []) : [],
    looking: isAsked && found?.words !== words,
  }
}

/** Pages, actions and things by their names; arrows choose, Enter goes there. */
export default function Palette({ area, onKeys, onClose }: PaletteProps) {
  const { menu, unavailable } = usePage<SharedProps>().props
  const [text, setText] = useState('')
  const [chosen, choose] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const id = useId()
  const words = text.trim()
  const { things, looking } = useFound(area, words)
  const known = [...pagesOf(menu, unavailable), ...actionsOf(menu, unavailable)]
  const choices: Choice[] = [...matching(known, words), ...things]
  const at = Math.min(chosen, choices.length - 1)

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [at])

  const go = ({ href }: Choice) => {
    onClose()
    visit(href)
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
      <Modal.Content aria-label="Find pages and objects">
        <Modal.Body p={0}>
          <div className={styles.field}>
            <IconSearch size={18} stroke={1.75} aria-hidden />
            <input
              type="text"
              role="combobox"
              data-autofocus
              autoComplete="off"
              spellCheck={false}
              aria-label="Find a page, an action or an object by name"
              aria-expanded
              aria-controls={id}
              aria-activedescendant={choices[at] ? `${id}-${at}` : undefined}
              placeholder="Find a page, an action or an object"
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value)
                choose(0)
              }}
              onKeyDown={onKeyDown}
            />
          </div>
          <ul role="listbox" id={id} ref={list} aria-label="Found" className={styles.list}>
            {choices.map((choice, index) => (
              <li
                key={`${choice.kind} ${choice.href} ${choice.name}`}
                role="option"
                id={`${id}-${index}`}
                aria-selected={index === at}
                className={styles.choice}
                onMouseMove={({ movementX, movementY }) => {
                  // Browsers report a move too when the list changes under a mouse at rest.
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
                ? `No results for “${words}”.`
                : 'Arrow keys select, Enter opens, ? shows all shortcuts.'}
          </p>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
