import { useEffect, useEffectEvent, useRef, useState, type RefObject } from 'react'
import { useComputedColorScheme } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import { notify } from '@ui/notify'
import type { AreaPrefix } from '~/area_prefix'
import { call } from '~/api_call'
import { copyText } from './copy_text'
import {
  TerminalConnection,
  gatewayUrlOfGrant,
  type ConnectionState,
  type TerminalGrant,
  type TerminalTargetType,
  type ResumeTokenStore,
} from './terminal_connection'
import type { TerminalScreen } from './terminal_screen'
import type { SearchMatches } from './search_box'

export const FONT_SIZE_LIMITS_PX = { least: 10, usual: 14, most: 24 }
const NO_MATCHES: SearchMatches = { index: -1, count: 0 }
const CLOSED_NOTICE = '=== Connection Closed ==='

export interface TerminalOptions {
  element: RefObject<HTMLElement | null>
  grantUrl: `${AreaPrefix}/terminal/grants`
  grantBody: Record<string, unknown>
  gatewayUrl: string
  instanceType: TerminalTargetType
  /** Key of the resume token in session storage. */
  storageKey: string
  /** ID of the text that explains how to leave the terminal with the keyboard. */
  describedBy: string
  /** Returns true if the panel handled the key. */
  onShortcut: (event: KeyboardEvent) => boolean
}

export function useTerminal(options: TerminalOptions) {
  const { element, grantUrl, gatewayUrl, instanceType, storageKey } = options
  const colourScheme = useComputedColorScheme('light')
  const [fontSize, setFontSize] = useLocalStorage({
    key: 'berth-terminal-font-size',
    defaultValue: FONT_SIZE_LIMITS_PX.usual,
  })
  const [screenReader, setScreenReader] = useLocalStorage({
    key: 'berth-terminal-screen-reader',
    defaultValue: false,
  })
  const [state, setState] = useState<ConnectionState>({ at: 'connecting' })
  const [warning, setWarning] = useState<string | null>(null)
  const [matches, setMatches] = useState(NO_MATCHES)
  const [selected, setSelected] = useState(false)
  const [screen, setScreen] = useState<TerminalScreen | null>(null)
  const connection = useRef<TerminalConnection>(null)

  const askGrant = useEffectEvent(async () => {
    const { success, message, data } = await call<TerminalGrant>(grantUrl, {
      method: 'POST',
      data: options.grantBody,
      toasts: 'none',
    })
    return success && data ? { granted: data } : { refused: message }
  })

  const handleShortcut = useEffectEvent((event: KeyboardEvent) => options.onShortcut(event))

  const openScreen = useEffectEvent(async (host: HTMLElement, line: () => TerminalConnection) => {
    const module = await import('./terminal_screen')
    return module.TerminalScreen.open(host, {
      colourScheme,
      fontSize,
      screenReader,
      describedBy: options.describedBy,
      onInput: (data) => {
        setWarning(null)
        line().send(data)
      },
      onResize: (size) => line().resize(size),
      onSelection: setSelected,
      onMatches: setMatches,
      onShortcut: (event) => handleShortcut(event),
    })
  })

  useEffect(() => {
    const host = element.current
    if (!host) return
    let gone = false
    let shown: TerminalScreen | undefined
    let lost = false
    const line = new TerminalConnection({
      url: gatewayUrlOfGrant(gatewayUrl, grantUrl),
      instanceType,
      askGrant: () => askGrant(),
      size: () => shown?.size ?? { cols: 80, rows: 24 },
      draw: (bytes, drawn, replayed) =>
        replayed ? shown?.replay(bytes, drawn) : shown?.write(bytes, drawn),
      token: sessionTokenStore(storageKey),
      onReplaced: (reason) => shown?.announce(reason, 'This is a new shell.'),
      onState: (next) => {
        setState(next)
        setWarning(null)
        if (next.at === 'closed') shown?.announce(CLOSED_NOTICE, next.reason)
        // After a lost connection, the person may be using another part of the page, so the focus stays there.
        if (next.at === 'open' && !lost) shown?.focus()
        lost = next.at === 'lost'
      },
      onWarning: setWarning,
    })
    const start = async () => {
      try {
        const opened = await openScreen(host, () => line)
        if (gone) return opened.dispose()
        shown = opened
        setScreen(opened)
        line.open()
      } catch {
        if (gone) return
        const reason = 'The terminal could not be loaded. Reload the page to try again.'
        setState({ at: 'closed', reason })
      }
    }
    const onOnline = () => line.retry()
    connection.current = line
    window.addEventListener('online', onOnline)
    void start()
    return () => {
      gone = true
      window.removeEventListener('online', onOnline)
      connection.current = null
      line.dispose()
      shown?.dispose()
      setScreen(null)
    }
  }, [element, gatewayUrl, grantUrl, instanceType, storageKey])

  useEffect(() => screen?.setColourScheme(colourScheme), [screen, colourScheme])
  useEffect(() => screen?.setFontSize(fontSize), [screen, fontSize])
  useEffect(() => screen?.setScreenReader(screenReader), [screen, screenReader])

  const copy = async () => {
    try {
      await copyText(screen?.selection ?? '')
    } catch {
      void notify({
        success: false,
        message: 'The browser did not allow copying. Press Ctrl+C (Cmd+C) with text selected.',
      })
    }
    screen?.focus()
  }

  const paste = async () => {
    try {
      screen?.paste(await navigator.clipboard.readText())
    } catch {
      screen?.focus()
      void notify({
        success: false,
        message: 'The browser did not allow pasting here. Press Ctrl+Shift+V (Cmd+V) instead.',
      })
    }
  }

  return {
    screen,
    state,
    warning,
    found: matches,
    selected,
    fontSize,
    screenReader,
    copy,
    paste,
    reconnect: () => connection.current?.connect(),
    retry: () => connection.current?.retry(),
    finish: () => connection.current?.finish(),
    setScreenReader,
    growFont: (by: number) =>
      setFontSize(
        Math.min(FONT_SIZE_LIMITS_PX.most, Math.max(FONT_SIZE_LIMITS_PX.least, fontSize + by))
      ),
  }
}

/** Stores the token in session storage. If storage is full or forbidden, only this page has the token. */
function sessionTokenStore(key: string): ResumeTokenStore {
  let token: string | null = null
  try {
    token = window.sessionStorage.getItem(key)
  } catch {}
  return {
    read: () => token,
    write(next) {
      token = next
      try {
        if (next) window.sessionStorage.setItem(key, next)
        else window.sessionStorage.removeItem(key)
      } catch {}
    },
  }
}
