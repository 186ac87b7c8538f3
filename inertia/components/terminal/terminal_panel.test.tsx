import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MantineProvider } from '@mantine/core'
import { act, cleanup, render, screen as page, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ConnectionOptions } from './terminal_connection'
import type { TerminalScreenOptions } from './terminal_screen'
import TerminalPanel from './terminal_panel'

const mocks = vi.hoisted(() => ({
  screen: undefined as unknown as TerminalScreenOptions,
  line: undefined as unknown as ConnectionOptions,
  announced: [] as string[],
  drawn: [] as string[],
  connects: 0,
  disposed: 0,
  finished: 0,
  retried: 0,
}))

vi.mock('./terminal_screen', () => ({
  TerminalScreen: {
    open: async (_host: HTMLElement, options: TerminalScreenOptions) => {
      mocks.screen = options
      return {
        size: { cols: 80, rows: 24 },
        selection: 'chosen',
        announce: (...lines: string[]) => mocks.announced.push(...lines),
        dispose: () => (mocks.disposed += 1),
        find: () => mocks.screen.onMatches({ index: 1, count: 3 }),
        focus: () => {},
        forget: () => {},
        paste: () => {},
        setColourScheme: () => {},
        setFontSize: () => {},
        setScreenReader: () => {},
        write: () => mocks.drawn.push('new'),
        replay: () => mocks.drawn.push('replay'),
      }
    },
  },
}))

vi.mock('./terminal_connection', async (importOriginal) => ({
  ...(await importOriginal<typeof import('./terminal_connection')>()),
  TerminalConnection: class {
    constructor(options: ConnectionOptions) {
      mocks.line = options
    }
    connect() {
      mocks.connects += 1
    }
    open() {
      mocks.connects += 1
    }
    dispose() {
      mocks.disposed += 1
    }
    finish() {
      mocks.finished += 1
    }
    retry() {
      mocks.retried += 1
    }
    send() {}
    resize() {}
  },
}))

async function open() {
  const view = render(
    <MantineProvider>
      <main>
        <p>behind</p>
        <TerminalPanel
          grantUrl="/admin/terminal/grants"
          grantBody={{ host_instance_id: 1 }}
          gatewayUrl="ws://gateway.test"
          label="harbour-1"
          height={400}
          instanceType="host"
        />
      </main>
    </MantineProvider>
  )
  await waitFor(() => expect(mocks.connects).toBe(1))
  return view
}

beforeEach(() => {
  const none = { connects: 0, disposed: 0, finished: 0, retried: 0 }
  Object.assign(mocks, { announced: [], drawn: [], ...none })
  window.localStorage.clear()
  window.sessionStorage.clear()
})

describe('Terminal panel', () => {
  it('has the title “Terminal - NAME”, and connects to the gateway URL of its area', async () => {
    await open()
    expect(page.getByRole('heading', { name: 'Terminal - harbour-1' })).toBeTruthy()
    expect(page.getByRole('status').textContent).toBe('Connecting…')
    expect(mocks.line).toMatchObject({
      url: 'ws://gateway.test/admin/terminal',
      instanceType: 'host',
    })
    act(() => mocks.line.onState({ at: 'open', label: 'harbour-1' }))
    expect(page.getByRole('status').textContent).toBe('Connected')
  })

  it('shows the reason of the end, and reconnects', async () => {
    await open()
    expect(page.queryByRole('button', { name: 'Reconnect' })).toBeNull()
    act(() => mocks.line.onState({ at: 'closed', reason: 'The machine went away.' }))
    expect(mocks.announced).toEqual(['=== Connection Closed ===', 'The machine went away.'])
    expect(page.getByRole('status').textContent).toContain('The machine went away.')
    await userEvent.click(page.getByRole('button', { name: 'Reconnect' }))
    expect(mocks.connects).toBe(2)
  })

  it('shows a warning until the person types', async () => {
    await open()
    act(() => mocks.line.onWarning('Closing in a minute.'))
    expect(page.getByRole('alert').textContent).toBe('Closing in a minute.')
    act(() => mocks.screen.onInput('x'))
    expect(page.queryByRole('alert')).toBeNull()
  })

  it('in fullscreen, makes the rest of the page inert', async () => {
    await open()
    await userEvent.click(page.getByRole('button', { name: 'Fullscreen' }))
    expect(page.getByText('behind').hasAttribute('inert')).toBe(true)
    await userEvent.click(page.getByRole('button', { name: 'Exit fullscreen' }))
    expect(page.getByText('behind').hasAttribute('inert')).toBe(false)
  })

  it('searches and shows the number of matches, and Shift+F6 leaves the terminal', async () => {
    await open()
    const key = (init: KeyboardEventInit) => new KeyboardEvent('keydown', init)
    act(() => {
      mocks.screen.onShortcut(key({ code: 'KeyF', ctrlKey: true, shiftKey: true }))
    })
    await userEvent.type(page.getByRole('textbox', { name: 'Search in terminal' }), 'e')
    expect(page.getByText('2 of 3')).toBeTruthy()
    expect(mocks.screen.onShortcut(key({ code: 'KeyC', ctrlKey: true }))).toBe(false)
    act(() => void mocks.screen.onShortcut(key({ code: 'F6', shiftKey: true })))
    expect(document.activeElement).toBe(page.getByRole('button', { name: 'Copy' }))
  })

  it('shows a lost connection, and reconnects immediately on request', async () => {
    await open()
    act(() => mocks.line.onState({ at: 'open', label: 'harbour-1' }))
    act(() => mocks.line.onState({ at: 'lost' }))
    expect(page.getByRole('status').textContent).toBe('Connection lost. Reconnecting…')
    expect(mocks.announced).toEqual([])
    await userEvent.click(page.getByRole('button', { name: 'Try now' }))
    act(() => void window.dispatchEvent(new Event('online')))
    expect(mocks.retried).toBe(2)
    expect(page.queryByRole('button', { name: 'Reconnect' })).toBeNull()
  })

  it('stores the shell’s token and fullscreen mode for a reload, separately for each machine', async () => {
    await open()
    mocks.line.token.write('taken up by this')
    const key = 'berth-terminal:/admin/terminal/grants:{"host_instance_id":1}'
    expect(window.sessionStorage.getItem(key)).toBe('taken up by this')
    await userEvent.click(page.getByRole('button', { name: 'Fullscreen' }))
    const kept = { ...window.sessionStorage }
    cleanup()
    // Leaving the page ends fullscreen mode, but keeps the shell's token.
    expect(Object.keys(window.sessionStorage)).toEqual([key])
    // A real reload runs no cleanup, so the stored fullscreen mode is restored here.
    for (const [name, value] of Object.entries(kept)) window.sessionStorage.setItem(name, value)
    mocks.connects = 0
    await open()
    expect(mocks.line.token.read()).toBe('taken up by this')
    expect(page.getByRole('button', { name: 'Exit fullscreen' })).toBeTruthy()
    mocks.line.token.write(null)
    expect(window.sessionStorage.getItem(key)).toBeNull()
  })

  it('draws replayed output as a replay, and announces a new shell', async () => {
    await open()
    mocks.line.draw(new Uint8Array(1), () => {}, true)
    mocks.line.draw(new Uint8Array(1), () => {}, false)
    expect(mocks.drawn).toEqual(['replay', 'new'])
    mocks.line.onReplaced('What ran here has ended.')
    expect(mocks.announced).toEqual(['What ran here has ended.', 'This is a new shell.'])
  })

  it('the button “End the shell” ends an open shell', async () => {
    await open()
    const button = page.getByRole('button', { name: /^End the shell/ })
    await userEvent.click(button)
    expect(mocks.finished).toBe(0)
    act(() => mocks.line.onState({ at: 'open', label: 'harbour-1' }))
    await userEvent.click(button)
    expect(mocks.finished).toBe(1)
  })

  it('leaving the page does not end the shell', async () => {
    const { unmount } = await open()
    unmount()
    expect(mocks.disposed).toBe(2)
    expect(mocks.finished).toBe(0)
  })
})
