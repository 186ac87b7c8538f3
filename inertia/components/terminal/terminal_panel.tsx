import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Button } from '@mantine/core'
import { useSessionStorage } from '@mantine/hooks'
import IconAccessible from '@tabler/icons-react/dist/esm/icons/IconAccessible.mjs'
import IconArrowsMaximize from '@tabler/icons-react/dist/esm/icons/IconArrowsMaximize.mjs'
import IconArrowsMinimize from '@tabler/icons-react/dist/esm/icons/IconArrowsMinimize.mjs'
import IconClipboard from '@tabler/icons-react/dist/esm/icons/IconClipboard.mjs'
import IconCopy from '@tabler/icons-react/dist/esm/icons/IconCopy.mjs'
import IconSearch from '@tabler/icons-react/dist/esm/icons/IconSearch.mjs'
import IconTextDecrease from '@tabler/icons-react/dist/esm/icons/IconTextDecrease.mjs'
import IconTextIncrease from '@tabler/icons-react/dist/esm/icons/IconTextIncrease.mjs'
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs'
import type { AreaPrefix } from '~/area_prefix'
import type { ConnectionState, TerminalTargetType } from './terminal_connection'
import { SearchBox } from './search_box'
import { ToolButton } from './tool_button'
import { useInertBackground } from './use_inert_background'
import { FONT_SIZE_LIMITS_PX, useTerminal } from './use_terminal'
import styles from './terminal_panel.module.css'

export interface TerminalPanelProps {
  grantUrl: `${AreaPrefix}/terminal/grants`
  grantBody: Record<string, unknown>
  gatewayUrl: string
  /** Name of the host, instance or project. */
  label: string
  /** Default `Terminal - {label}`. */
  title?: string
  /** Height in pixels. In fullscreen it is the screen height minus 60 pixels. */
  height: 400 | 500
  instanceType: TerminalTargetType
}

const stateLabels: Record<ConnectionState['at'], string> = {
  connecting: 'Connecting…',
  open: 'Connected',
  lost: 'Connection lost. Reconnecting…',
  closed: 'Connection closed',
}

/** After a reload, the same browser tab resumes the shell. */
export default function TerminalPanel(props: TerminalPanelProps) {
  const { label, title = `Terminal - ${label}`, height } = props
  const storageKey = `berth-terminal:${props.grantUrl}:${JSON.stringify(props.grantBody)}`
  const [fullscreen, setFullscreen, forgetFullscreen] = useSessionStorage({
    key: `${storageKey}:fullscreen`,
    defaultValue: false,
    getInitialValueInEffect: false,
  })
  const [searching, setSearching] = useState(false)
  const [text, setText] = useState('')
  const section = useRef<HTMLElement>(null)
  const firstTool = useRef<HTMLButtonElement>(null)
  const element = useRef<HTMLDivElement>(null)
  const help = useId()

  const terminal = useTerminal({ ...props, storageKey, element, describedBy: help, onShortcut })
  const { screen, state, fontSize } = terminal
  useInertBackground(section, fullscreen)
  // A reload keeps fullscreen; leaving the page ends it.
  const leave = useEffectEvent(() => forgetFullscreen())
  useEffect(() => () => leave(), [])

  useEffect(() => {
    if (fullscreen) screen?.focus()
  }, [fullscreen, screen])

  function onShortcut(event: KeyboardEvent) {
    const { ctrlKey, metaKey, shiftKey, code } = event
    if (shiftKey && !ctrlKey && !metaKey && code === 'F6') firstTool.current?.focus()
    else if (!shiftKey || !(ctrlKey || metaKey)) return false
    else if (code === 'KeyF') setSearching(true)
    else if (code === 'KeyC' && terminal.selected) void terminal.copy()
    else return false
    return true
  }

  const closeSearch = () => {
    setSearching(false)
    screen?.forget()
    screen?.focus()
  }

  return (
    <section
      ref={section}
      aria-label={title}
      className={styles.panel}
      data-fullscreen={fullscreen || undefined}
    >
      <header className={styles.header}>
        <h2 className={styles.title}>{title}</h2>
        <span role="status" className={styles.state} data-state={state.at}>
          {stateLabels[state.at]}
          {state.at === 'closed' && <span className={styles.unseen}>. {state.reason}</span>}
        </span>
        {state.at === 'closed' && (
          <Button size="compact-sm" onClick={terminal.reconnect}>
            Reconnect
          </Button>
        )}
        {state.at === 'lost' && (
          <Button size="compact-sm" variant="default" onClick={terminal.retry}>
            Try now
          </Button>
        )}
        <p id={help} className={styles.help}>
          Shift+F6 leaves the terminal
        </p>
        <div role="toolbar" aria-label="Terminal tools" className={styles.tools}>
          <ToolButton
            ref={firstTool}
            label="Copy"
            keys="Ctrl+Shift+C"
            icon={IconCopy}
            reason={terminal.selected ? null : 'Select text in the terminal first'}
            onClick={() => void terminal.copy()}
          />
          <ToolButton
            label="Paste"
            keys="Ctrl+Shift+V"
            icon={IconClipboard}
            reason={state.at === 'open' ? null : 'No shell is open'}
            onClick={() => void terminal.paste()}
          />
          <ToolButton
            label="Search"
            keys="Ctrl+Shift+F"
            icon={IconSearch}
            pressed={searching}
            onClick={() => (searching ? closeSearch() : setSearching(true))}
          />
          <ToolButton
            label="Decrease text size"
            icon={IconTextDecrease}
            reason={
              fontSize > FONT_SIZE_LIMITS_PX.least ? null : 'The text is at the smallest size'
            }
            onClick={() => terminal.growFont(-1)}
          />
          <ToolButton
            label="Increase text size"
            icon={IconTextIncrease}
            reason={fontSize < FONT_SIZE_LIMITS_PX.most ? null : 'The text is at the largest size'}
            onClick={() => terminal.growFont(1)}
          />
          <ToolButton
            label="Screen reader mode"
            icon={IconAccessible}
            pressed={terminal.screenReader}
            onClick={() => terminal.setScreenReader(!terminal.screenReader)}
          />
          <ToolButton
            label={fullscreen ? 'Exit fullscreen' : 'Fullscreen'}
            icon={fullscreen ? IconArrowsMinimize : IconArrowsMaximize}
            onClick={() => setFullscreen(!fullscreen)}
          />
          <ToolButton
            label="End the shell"
            icon={IconX}
            reason={state.at === 'open' ? null : 'No shell is open'}
            onClick={terminal.finish}
          />
        </div>
      </header>
      <div className={styles.area} data-height={height}>
        <div ref={element} className={styles.screen} data-testid="terminal-screen" />
        {searching && (
          <SearchBox
            text={text}
            matches={terminal.found}
            onText={(next) => {
              setText(next)
              screen?.find(next, 'next', true)
            }}
            onNext={() => screen?.find(text, 'next')}
            onPrevious={() => screen?.find(text, 'previous')}
            onClose={closeSearch}
          />
        )}
        {terminal.warning && (
          <p role="alert" className={styles.warning}>
            {terminal.warning}
          </p>
        )}
      </div>
    </section>
  )
}
