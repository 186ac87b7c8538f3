import 'fake-indexeddb/auto'
import { MantineProvider } from '@mantine/core'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSignedOut, registerSignedOutDialog } from '~/signed_out'
import { Chat } from './chat'
import { contextLinkFor, parseMessageFiles, decodeMessageText } from './message_content'
import { getOrCreateConversationStore, ConversationStore } from './conversation_store'
import { fitSize, resizePhoto } from './resize_photo'
import { deleteAllUnsentFiles, saveUnsentFiles, loadUnsentFiles } from './unsent_files'
import type { MessageView } from './types'
import { useStoredText } from './use_stored_text'
import { AttachmentViewer } from './attachment_viewer'

vi.mock('@inertiajs/react', () => ({
  usePage: () => ({ props: { area: 'customer', user: { id: 7 }, live: '' }, url: '/' }),
  router: { on: () => () => {} },
  Link: 'a',
}))
vi.mock('~/change_stream', () => ({ subscribeToChanges: () => () => {} }))

/** A fake server with one conversation. Tests can take it offline. */
class Server {
  messages: MessageView[] = []
  away = false
  status = 200
  /** Number of messages in the first response. */
  newest = 1_000
  posts: { path: string; body: Record<string, unknown> }[] = []

  say(text: string, side: 'client' | 'staff' = 'staff', key = crypto.randomUUID()) {
    const before = this.messages.find((one) => one.key === key)
    if (before) return before
    const sequence = this.messages.length + 1
    const message: MessageView = {
      id: sequence,
      sequence,
      side,
      key,
      client_id: 7,
      sender_id: side === 'client' ? 7 : 9,
      sender_name: 'Rafiq',
      content: encodeURIComponent(text),
      file_type: null,
      files: '',
      names: [],
      page: null,
      about: null,
      created_at: '2026-11-23T10:00:00Z',
      temp: false,
    }
    this.messages.push(message)
    return message
  }

  readonly fetch = (address: string, init: RequestInit = {}) => {
    if (this.away) return Promise.reject(new TypeError('network'))
    const url = new URL(address, 'http://here')
    let data: unknown = {}
    if (init.method === 'POST') {
      const body = JSON.parse(String(init.body)) as Record<string, string>
      this.posts.push({ path: url.pathname, body })
      if (this.status === 200 && url.pathname === '/live-support/send-message') {
        data = {
          message: this.say(
            body.text,
            'client',
            body.key as `${string}-${string}-${string}-${string}-${string}`
          ),
        }
      }
    } else {
      const asked = url.searchParams.get('after')
      const after = Number(asked ?? this.messages.length - this.newest)
      const length = asked === null ? this.newest : Number(url.searchParams.get('length'))
      const messages = this.messages.filter(({ sequence }) => sequence > after).slice(0, length)
      data = { count: this.messages.length, messages, read: { client: 0, staff: 0 }, attach: null }
    }
    const success = this.status === 200
    const body = JSON.stringify({ success, message: success ? '' : 'Not now.', data })
    return Promise.resolve(new Response(body, { status: this.status }))
  }

  get sent() {
    return this.posts.filter(({ path }) => path.endsWith('send-message')).map(({ body }) => body)
  }
}

let server: Server

beforeEach(() => {
  server = new Server()
  vi.stubGlobal('fetch', server.fetch)
  window.localStorage.clear()
})

/** Functions to call after each test, such as those that stop its stores. */
const shown = new Set<() => void>()
afterEach(() => {
  for (const stop of shown) stop()
  shown.clear()
})

function begun(one: ConversationStore): ConversationStore {
  const start = one.start.bind(one)
  one.start = () => {
    const stop = start()
    shown.add(stop)
    return () => shown.delete(stop) && stop()
  }
  return one
}

const store = () => begun(new ConversationStore({ prefix: '', me: 7, client: 7 }))
const texts = (one: ConversationStore) =>
  one.state().messages.map(({ content }) => decodeMessageText(content))

describe('Message content', () => {
  it('is decoded to plain text', () => {
    expect(decodeMessageText('a+b%2Bc%20d%0Ae')).toBe('a b+c d\ne')
    expect(decodeMessageText('a<br>b<br />c')).toBe('a\nb\nc')
    expect(decodeMessageText('%3Cbr%3E%3Cscript%3E')).toBe('<br><script>')
    expect(decodeMessageText('100%')).toBe('100%')
  })

  it('files are parsed from comma-separated paths', () => {
    const [one, two] = parseMessageFiles({
      files: 'chat-file/a.JPG,chat-file/b.pdf',
      names: ['x.jpg'],
    })
    expect([one.name, one.isPicture, two.name, two.extension]).toEqual([
      'x.jpg',
      true,
      'b.pdf',
      'pdf',
    ])
  })

  it('a page’s URL gives the record that a message is about', () => {
    expect(contextLinkFor('/server-instance/5?tab=x')).toMatchObject({
      noun: 'instance',
      page: '/server-instance/5',
    })
    expect(contextLinkFor('/project/list')).toBeNull()
  })
})

describe('Photos', () => {
  it('fit in 800 x 1000 and are never enlarged', () => {
    expect(fitSize(1600, 1000)).toEqual({ width: 800, height: 500 })
    expect(fitSize(1000, 4000)).toEqual({ width: 250, height: 1000 })
    expect(fitSize(80, 60)).toEqual({ width: 80, height: 60 })
  })

  it('fail with the two errors of the specification', async () => {
    await expect(resizePhoto(null)).rejects.toThrow('File Not Found!')
    await expect(resizePhoto(new File(['x'], 'a.txt', { type: 'text/plain' }))).rejects.toThrow(
      'File Is NOT Image!'
    )
  })
})

describe('Conversation store', () => {
  it('fetches missed messages, each once', async () => {
    const one = store()
    one.start()
    await one.fetchNewMessages()
    for (let index = 1; index <= 3; index++) server.say(`${index}`)
    await Promise.all([one.fetchNewMessages(), one.fetchNewMessages()])
    server.say('4')
    await one.fetchNewMessages()
    expect(texts(one)).toEqual(['1', '2', '3', '4'])
  })

  it('keeps unsent messages over a reload, and sends them once, in order', async () => {
    const one = store()
    const stop = one.start()
    server.away = true
    one.send({ text: 'first' })
    one.send({ text: 'second' })
    await waitFor(() => expect(one.state().pending[0].state).toBe('failed'))
    one.write('third, not finis')
    stop()

    server.away = false
    const again = store()
    expect(again.state().draft).toBe('third, not finis')
    again.start()
    await waitFor(() => expect(again.state().pending).toEqual([]))
    expect(server.messages.map(({ content }) => decodeMessageText(content))).toEqual([
      'first',
      'second',
    ])
    expect(texts(again)).toEqual(['first', 'second'])
  })

  it('shows a message once if the response to its sending was lost', async () => {
    const one = store()
    one.start()
    await one.fetchNewMessages()
    const answer = server.fetch
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) =>
      answer(address, init).then((response) => {
        if (init?.method === 'POST') throw new TypeError('cut')
        return response
      })
    )
    one.send({ text: 'once' })
    await waitFor(() => expect(one.state().pending[0]?.state).toBe('failed'))
    vi.stubGlobal('fetch', server.fetch)
    await one.fetchNewMessages()
    await waitFor(() => expect(one.state().pending).toEqual([]))
    expect(texts(one)).toEqual(['once'])
  })

  it('shows a message once that arrives during a request', async () => {
    server.say('before')
    const one = store()
    one.start()
    await one.fetchNewMessages()
    const answer = server.fetch
    const { promise: arrived, resolve } = Promise.withResolvers<void>()
    vi.stubGlobal('fetch', async (address: string, init?: RequestInit) => {
      const response = await answer(address, init)
      // The event arrives before the response of the POST. The request that the event triggers is answered after that
      // response.
      if (init?.method === 'POST') void one.fetchNewMessages()
      else await arrived
      return response
    })
    one.send({ text: 'once' })
    await waitFor(() => expect(texts(one)).toEqual(['before', 'once']))
    resolve()
    await one.fetchNewMessages()
    expect(texts(one)).toEqual(['before', 'once'])
  })

  it('a rejected message does not block the next one', async () => {
    const one = store()
    one.start()
    await one.fetchNewMessages()
    server.status = 422
    one.send({ text: 'refused' })
    await waitFor(() => expect(one.state().pending[0].problem).toBe('Not now.'))
    server.status = 200
    one.send({ text: 'next' })
    await waitFor(() => expect(texts(one)).toEqual(['next']))
    expect(one.state().pending.map(({ text }) => text)).toEqual(['refused'])
  })

  it('sends the messages behind a failed one after it was retried or discarded', async () => {
    const one = store()
    one.start()
    await one.fetchNewMessages()
    for (const move of ['retry', 'discard'] as const) {
      server.away = true
      one.send({ text: `${move} first` })
      one.send({ text: `${move} second` })
      await waitFor(() => expect(one.state().pending[0]?.state).toBe('failed'))
      server.away = false
      one[move](one.state().pending[0].key)
      await waitFor(() => expect(one.state().pending).toEqual([]))
    }
    expect(texts(one)).toEqual(['retry first', 'retry second', 'discard second'])
  })

  it('sends messages while no chat is open, each once, and fetches replies when one opens', async () => {
    const one = begun(getOrCreateConversationStore({ prefix: '', me: 7, client: 7 }))
    const close = one.start()
    await one.fetchNewMessages()
    server.away = true
    one.send({ text: 'first' })
    one.send({ text: 'second' })
    await waitFor(() => expect(one.state().pending[0]?.state).toBe('failed'))
    // A message that is being sent while the chat closes must not be sent again by the next store.
    const { promise: held, resolve } = Promise.withResolvers<void>()
    vi.stubGlobal('fetch', (address: string, init?: RequestInit) =>
      held.then(() => server.fetch(address, init))
    )
    server.away = false
    one.retry(one.state().pending[0].key)
    close()
    const next = getOrCreateConversationStore({ prefix: '', me: 7, client: 7 })
    expect(next).toBe(one)
    const stop = next.deliver()
    resolve()
    await waitFor(() => expect(next.state().pending).toEqual([]))
    expect(server.sent.map(({ text }) => text)).toEqual(['first', 'second'])
    expect(texts(next)).toEqual([])
    next.start()
    await next.fetchNewMessages()
    expect(texts(next)).toEqual(['first', 'second'])
    stop()
  })

  it('fetches messages when the page becomes visible, and when the network returns', async () => {
    const one = store()
    one.start()
    await one.fetchNewMessages()
    server.say('while it was hidden')
    document.dispatchEvent(new Event('visibilitychange'))
    await waitFor(() => expect(texts(one)).toEqual(['while it was hidden']))
    server.say('while it was away')
    window.dispatchEvent(new Event('online'))
    await waitFor(() => expect(texts(one)).toHaveLength(2))
  })

  it('the typing indicator disappears automatically, and a person’s own is not shown', () => {
    vi.useFakeTimers()
    try {
      const one = store()
      one.showTyping('client', 7)
      expect(one.state().typing).toBeNull()
      one.showTyping('staff', 9)
      expect(one.state().typing).toEqual({ side: 'staff', person: 9 })
      vi.advanceTimersByTime(6_000)
      expect(one.state().typing).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })

  it('loads earlier messages up to a searched one, each once', async () => {
    for (let index = 1; index <= 130; index++) server.say(`${index}`)
    server.newest = 100
    const one = store()
    one.start()
    await one.fetchNewMessages()
    expect(one.state().messages[0].sequence).toBe(31)
    await Promise.all([one.loadUntil(2), one.earlier()])
    expect(texts(one)).toEqual(Array.from({ length: 130 }, (_, index) => `${index + 1}`))
  })

  it('shows the alert “Login first” to a signed-out person', async () => {
    const alert = vi.fn()
    vi.stubGlobal('alert', alert)
    server.status = 401
    const one = store()
    one.start()
    await one.fetchNewMessages()
    await one.fetchNewMessages()
    expect(alert.mock.calls).toEqual([['Login first']])
  })

  it('after a sign-out during a conversation, shows no alert, because the page has a dialog', async () => {
    const alert = vi.fn()
    vi.stubGlobal('alert', alert)
    shown.add(registerSignedOutDialog())
    server.say('Good morning')
    const one = store()
    one.start()
    await one.fetchNewMessages()
    server.status = 401
    await one.fetchNewMessages()
    expect([alert.mock.calls, isSignedOut()]).toEqual([[], true])
    expect(one.state().messages).toHaveLength(1)
  })
})

const chat = () =>
  render(
    <MantineProvider>
      <Chat prefix="" me={7} client={7} />
    </MantineProvider>
  )

describe('Draft of a staff note', () => {
  function Kept() {
    const [text, setText] = useStoredText('support-note:9:7')
    return <input value={text} onChange={(event) => setText(event.currentTarget.value)} />
  }

  it('is restored after a reload until it is emptied', async () => {
    const page = render(<Kept />)
    await userEvent.type(screen.getByRole('textbox'), 'Half a note')
    page.unmount()
    const again = render(<Kept />)
    await screen.findByDisplayValue('Half a note')
    await userEvent.clear(screen.getByRole('textbox'))
    again.unmount()
    expect(window.localStorage.length).toBe(0)
  })
})

describe('Chat', () => {
  it('sends by Enter, breaks the line by Shift+Enter, and sends no empty message', async () => {
    const user = userEvent.setup()
    chat()
    const input = screen.getByRole('textbox', { name: 'Message' })
    await user.type(input, '  {Enter}')
    expect(server.sent).toEqual([])
    await user.clear(input)
    await user.type(input, 'one{Shift>}{Enter}{/Shift}two{Enter}')
    await waitFor(() => expect(server.sent[0]?.text).toBe('one\ntwo'))
    expect((input as HTMLTextAreaElement).value).toBe('')
  })

  it('shows markup as text, and Retry next to a failed message', async () => {
    server.say('<img src=x onerror=alert(1)>')
    const user = userEvent.setup()
    const { container } = chat()
    await screen.findByText('<img src=x onerror=alert(1)>')
    expect(container.querySelector('article img')).toBeNull()
    server.away = true
    await user.type(screen.getByRole('textbox', { name: 'Message' }), 'Hello{Enter}')
    await screen.findByText(/^Not sent\./u)
    server.away = false
    await user.click(screen.getAllByRole('button', { name: 'Retry' })[0])
    await waitFor(() => expect(screen.queryByText(/^Not sent\./u)).toBeNull())
    expect(server.sent.map(({ text }) => text)).toEqual(['Hello'])
  })

  it('accepts ten attachments, removes single ones, and cancels all', async () => {
    vi.stubGlobal(
      'URL',
      Object.assign(URL, { createObjectURL: () => 'blob:x', revokeObjectURL: () => {} })
    )
    const user = userEvent.setup()
    const { container } = chat()
    const files = Array.from(
      { length: 12 },
      (_, n) => new File(['x'], `${n}.png`, { type: 'image/png' })
    )
    await act(() => Promise.resolve())
    await user.upload(container.querySelector<HTMLInputElement>('input[accept="image/*"]')!, files)
    expect(screen.getAllByRole('button', { name: /^Remove/u })).toHaveLength(10)
    screen.getByText('A message can have at most 10 attachments. 2 were not added.')
    await user.click(screen.getByRole('button', { name: 'Remove 3.png' }))
    expect(screen.getAllByRole('button', { name: /^Remove/u })).toHaveLength(9)
    await user.click(screen.getByRole('button', { name: 'Cancel' }))
    screen.getByRole('textbox', { name: 'Message' })
  })
})

it('staff see that a colleague answered meanwhile, and keep their draft', async () => {
  server.say('Anybody?', 'client')
  const user = userEvent.setup()
  const { container } = render(
    <MantineProvider>
      <Chat prefix="/admin" me={8} client={7} name="Nasrin" />
    </MantineProvider>
  )
  await screen.findByText('Anybody?')
  const input = screen.getByRole('textbox', { name: 'Message' })
  await user.type(input, 'I am')
  server.say('I was first')
  act(() => void window.dispatchEvent(new Event('online')))
  await screen.findByText('Rafiq replied while you were typing.')
  expect((input as HTMLTextAreaElement).value).toBe('I am')
  expect(container.querySelectorAll('article')).toHaveLength(2)
})

it('the viewer zooms from 20 to 100 percent, and continues with the first file after the last', async () => {
  const user = userEvent.setup()
  const files = parseMessageFiles({
    files: 'chat-file/a.png,chat-file/b.zip',
    names: ['a.png', 'b.zip'],
  })
  render(
    <MantineProvider>
      <AttachmentViewer files={files} at="chat-file/a.png" prefix="" onClose={() => {}} />
    </MantineProvider>
  )
  const zoom = await screen.findByLabelText('Zoom')
  expect(zoom.textContent).toBe('50%')
  for (let step = 0; step < 8; step++)
    await user.click(screen.getByRole('button', { name: 'Zoom out' }))
  expect(zoom.textContent).toBe('20%')
  await user.click(screen.getByRole('button', { name: 'Previous' }))
  screen.getByText('ZIP')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  screen.getByRole('img', { name: 'a.png' })
})

describe('Selected files that are not sent', () => {
  const mine = { prefix: '', me: 7, client: 7 } as const
  const file = new File(['a,b'], 'list.csv', { type: 'text/csv' })
  const open = () =>
    render(
      <MantineProvider>
        <Chat prefix="" me={7} client={7} />
      </MantineProvider>
    )
  const names = async (whose: Parameters<typeof loadUnsentFiles>[0] = mine) =>
    (await loadUnsentFiles(whose)).map((one) => one.file.name)

  beforeEach(() => {
    // jsdom cannot clone its File objects, but browsers can.
    vi.stubGlobal('structuredClone', (value: unknown) => value)
    return deleteAllUnsentFiles('')
  })

  it('are restored after a reload, and deleted when the person cancels', async () => {
    saveUnsentFiles(mine, [{ id: 1, kind: 'doc', file, preview: null }])
    const page = open()
    await screen.findByTitle('list.csv')
    page.unmount()
    open()
    await screen.findByTitle('list.csv')
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(await names()).toEqual([])
  })

  it('are never shown to another person, and deleted at the sign-out', async () => {
    saveUnsentFiles(mine, [{ id: 1, kind: 'doc', file, preview: null }])
    const staff = { prefix: '/admin', me: 9, client: 7 } as const
    saveUnsentFiles(staff, [{ id: 2, kind: 'doc', file, preview: null }])
    expect(await names({ prefix: '', me: 8, client: 8 })).toEqual([])
    expect(await names()).toEqual([])
    expect(await names(staff)).toEqual(['list.csv'])
    await deleteAllUnsentFiles('/admin')
    expect(await names(staff)).toEqual([])
  })
})
