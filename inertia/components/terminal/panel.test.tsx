import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MantineProvider } from '@mantine/core'
import { act, render, screen as page } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ConnectionOptions } from './connection'
import type { ScreenOptions } from './screen'
import TerminalPanel from './panel'

const mocks = vi.hoisted(() => ({
  screen: undefined as unknown as ScreenOptions,
  line: undefined as unknown as ConnectionOptions,
  announced: [] as string[],
  connects: 0,
  disposed: 0,
}))

vi.mock('./screen', () => ({
  Screen: {
    open: async (_host: HTMLElement, options: ScreenOptions) => {
      mocks.screen = options
      return {
        size: { cols: 80, rows: 24 },
        selection: 'chosen',
        announce: (...lines: string[]) => mocks.announced.push(...lines),
        dispose: () => (mocks.disposed += 1),
        find: () => mocks.screen.onFound({ index: 1, count: 3 }),
        focus: () => {},
        forget: () => {},
        paste: () => {},
        setColourScheme: () => {},
        setFontSize: () => {},
        setScreenReader: () => {},
        write: () => {},
      }
    },
  },
}))

vi.mock('./connection', async (importOriginal) => ({
  ...(await importOriginal<typeof import('./connection')>()),
  TerminalConnection: class {
    constructor(options: ConnectionOptions) {
      mocks.line = options
    }
    connect() {
      mocks.connects += 1
    }
    dispose() {
      mocks.disposed += 1
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
  await vi.waitFor(() => expect(mocks.connects).toBe(1))
  return view
}

beforeEach(() => {
  Object.assign(mocks, { announced: [], connects: 0, disposed: 0 })
  window.localStorage.clear()
})

describe('terminal panel', () => {
  it('has the specified header and connects to the gateway of its area', async () => {
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

  it('says that it was closed and why, and reconnects', async () => {
    await open()
    expect(page.queryByRole('button', { name: 'Reconnect' })).toBeNull()
    act(() => mocks.line.onState({ at: 'closed', reason: 'The machine went away.' }))
    expect(mocks.announced).toEqual(['=== Connection Closed ===', 'The machine went away.'])
    expect(page.getByRole('status').textContent).toContain('The machine went away.')
    await userEvent.click(page.getByRole('button', { name: 'Reconnect' }))
    expect(mocks.connects).toBe(2)
  })

  it('shows a warning until something is typed', async () => {
    await open()
    act(() => mocks.line.onWarning('Closing in a minute.'))
    expect(page.getByRole('alert').textContent).toBe('Closing in a minute.')
    act(() => mocks.screen.onInput('x'))
    expect(page.queryByRole('alert')).toBeNull()
  })

  it('covers the screen in fullscreen and keeps what is behind out of reach', async () => {
    await open()
    await userEvent.click(page.getByRole('button', { name: 'Fullscreen' }))
    expect(page.getByText('behind').hasAttribute('inert')).toBe(true)
    await userEvent.click(page.getByRole('button', { name: 'Leave fullscreen' }))
    expect(page.getByText('behind').hasAttribute('inert')).toBe(false)
  })

  it('searches, tells how much was found, and Shift+F6 leads out of the terminal', async () => {
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

  it('ends the shell when the page is left', async () => {
    const { unmount } = await open()
    unmount()
    expect(mocks.disposed).toBe(2)
  })
})
