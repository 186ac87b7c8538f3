import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  RETRY_DELAYS_MS,
  TerminalConnection,
  gatewayUrlOfGrant,
  splitIntoFrames,
  type ConnectionState,
  type GrantResult,
  type TerminalTargetType,
} from './terminal_connection'

class FakeSocket {
  readyState = 0
  binaryType = 'blob'
  sent: Record<string, unknown>[] = []
  onopen: (() => void) | null = null
  onmessage: ((event: { data: unknown }) => void) | null = null
  onclose: ((event: { code: number }) => void) | null = null

  constructor(readonly url: string) {}

  send(text: string) {
    this.sent.push(JSON.parse(text))
  }

  close() {
    this.readyState = 3
  }

  open() {
    this.readyState = 1
    this.onopen?.()
  }

  say(message: object) {
    this.onmessage?.({ data: JSON.stringify(message) })
  }

  output(length: number) {
    this.onmessage?.({ data: new ArrayBuffer(length) })
  }

  end(code = 1006) {
    this.readyState = 3
    this.onclose?.({ code })
  }
}

const granted: GrantResult = {
  granted: { grant: 'once', host: '192.0.2.7', user: 'root', port: 20022, commands: ['sh'] },
}

const ready = (token = 'first', resumed = false) => ({
  type: 'ready',
  label: 'web-1',
  token,
  resumed,
})
const CLOSED_EVENT = { type: 'closed', reason: 'The shell in this terminal has ended.' }

function setUp(instanceType: TerminalTargetType = 'regular', answers: GrantResult[] = []) {
  const sockets: FakeSocket[] = []
  const states: ConnectionState[] = []
  const warnings: string[] = []
  const undrawn: (() => void)[] = []
  const askGrant = vi.fn(async () => answers.shift() ?? granted)
  const replaced: string[] = []
  const replays: boolean[] = []
  const kept: { token: string | null } = { token: null }
  let size = { cols: 80, rows: 24 }
  const connection = new TerminalConnection({
    url: 'ws://gateway.test/terminal',
    instanceType,
    askGrant,
    size: () => size,
    draw: (_bytes, drawn, replayed) => {
      undrawn.push(drawn)
      replays.push(replayed)
    },
    token: { read: () => kept.token, write: (token) => (kept.token = token) },
    onReplaced: (reason) => replaced.push(reason),
    onState: (state) => states.push(state),
    onWarning: (text) => warnings.push(text),
    openSocket: (url) => {
      const socket = new FakeSocket(url)
      sockets.push(socket)
      return socket as unknown as WebSocket
    },
  })
  const all = { connection, sockets, states, warnings, undrawn, askGrant, replaced, replays, kept }
  const connected = async () => {
    connection.connect()
    await vi.advanceTimersByTimeAsync(0)
    sockets[0].open()
    sockets[0].say(ready())
    return sockets[0]
  }
  const resized = (cols: number, rows: number) => {
    size = { cols, rows }
    connection.resize(size)
  }
  return { ...all, connected, resized }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('Terminal connection', () => {
  it('sends the grant in the specified first message, in place of a private key', async () => {
    const { connected, states } = setUp('regular')
    const socket = await connected()
    expect(socket.binaryType).toBe('arraybuffer')
    expect(socket.sent[0]).toEqual({
      type: 'credentials',
      instance_type: 'regular',
      host: '192.0.2.7',
      port: 20022,
      user: 'root',
      cols: 80,
      rows: 24,
      commands: ['sh'],
      privateKey: 'once',
    })
    expect(states).toEqual([{ at: 'connecting' }, { at: 'open', label: 'web-1' }])
  })

  it('for a shared instance, sends the grant as system_id and no port', async () => {
    const socket = await setUp('shared').connected()
    expect(socket.sent[0]).toMatchObject({ instance_type: 'shared', system_id: 'once' })
    expect(socket.sent[0]).not.toHaveProperty('port')
    expect(socket.sent[0]).not.toHaveProperty('privateKey')
  })

  it('splits input into frames of the allowed size, and sends each terminal size once', async () => {
    const { connected, connection, resized } = setUp()
    const socket = await connected()
    connection.send('ls\r')
    connection.send('x'.repeat(20_000))
    resized(100, 30)
    resized(100, 30)
    const [, typed, ...rest] = socket.sent
    expect(typed).toEqual({ type: 'message', data: 'ls\r' })
    const resizes = rest.filter(({ type }) => type === 'resize')
    expect(resizes).toEqual([{ type: 'resize', cols: 100, rows: 30 }])
    const pasted = rest.filter(({ type }) => type === 'message').map(({ data }) => String(data))
    expect(pasted.join('')).toBe('x'.repeat(20_000))
    expect(Math.max(...pasted.map(({ length }) => length))).toBeLessThanOrEqual(8_192)
  })

  it('does not split surrogate pairs', () => {
    const text = 'a' + '😀'.repeat(8_192)
    const parts = splitIntoFrames(text)
    expect(parts.join('')).toBe(text)
    for (const part of parts) expect(part).toBe(part.toWellFormed())
  })

  it('sends a terminal size that changed while the shell was being opened', async () => {
    const { connection, sockets, resized } = setUp()
    connection.connect()
    await vi.advanceTimersByTimeAsync(0)
    sockets[0].open()
    resized(120, 40)
    expect(sockets[0].sent).toHaveLength(1)
    sockets[0].say(ready())
    expect(sockets[0].sent[1]).toEqual({ type: 'resize', cols: 120, rows: 40 })
  })

  it('acknowledges output only after it was drawn', async () => {
    const { connected, undrawn } = setUp()
    const socket = await connected()
    const acks = () => socket.sent.filter(({ type }) => type === 'ack').map(({ bytes }) => bytes)
    for (let sent = 0; sent < 5; sent += 1) socket.output(5_000)
    expect(acks()).toEqual([])
    for (let drawn = 0; drawn < 3; drawn += 1) undrawn.shift()!()
    expect(acks()).toEqual([])
    undrawn.shift()!()
    expect(acks()).toEqual([20_000])
    while (undrawn.length) undrawn.shift()!()
    expect(acks().reduce((sum, bytes) => Number(sum) + Number(bytes), 0)).toBe(25_000)
    socket.output(1)
    undrawn.shift()!()
    expect(acks().at(-1)).toBe(1)
  })

  it('reports the gateway’s reason, then opens a new shell with a new grant', async () => {
    const { connected, connection, sockets, states, warnings, askGrant, undrawn } = setUp()
    const socket = await connected()
    socket.say({ type: 'warning', text: 'Idle soon.' })
    socket.output(10)
    socket.say({ type: 'closed', reason: 'The machine went away.' })
    socket.end(4502)
    expect(warnings).toEqual(['Idle soon.'])
    expect(states.at(-1)).toEqual({ at: 'closed', reason: 'The machine went away.' })

    connection.send('lost')
    connection.connect()
    await vi.advanceTimersByTimeAsync(0)
    sockets[1].open()
    undrawn.shift()!()
    expect(askGrant).toHaveBeenCalledTimes(2)
    expect(sockets[1].sent.map(({ type }) => type)).toEqual(['credentials'])
  })

  it('resumes the same shell after a lost connection, without a message', async () => {
    const { connected, connection, sockets, states, askGrant, kept } = setUp()
    const socket = await connected()
    expect(kept.token).toBe('first')
    socket.end(1006)
    expect(states.at(-1)).toEqual({ at: 'lost' })
    connection.send('dropped')
    // While the gateway is unreachable, attempts continue at growing intervals of up to 10 s.
    for (const wait of [...RETRY_DELAYS_MS, 10_000, 10_000]) {
      sockets.at(-1)!.end()
      await vi.advanceTimersByTimeAsync(wait)
    }
    expect(sockets).toHaveLength(2 + RETRY_DELAYS_MS.length + 2)
    const last = sockets.at(-1)!
    last.open()
    expect(last.sent).toEqual([{ type: 'resume', token: 'first', cols: 80, rows: 24 }])
    last.say(ready('second', true))
    expect(kept.token).toBe('second')
    expect(states.at(-1)).toEqual({ at: 'open', label: 'web-1' })
    connection.send('ls\r')
    expect(last.sent.at(-1)).toEqual({ type: 'message', data: 'ls\r' })
    expect(askGrant).toHaveBeenCalledTimes(1)
  })

  it('draws the screen of the resumed shell as a replay, and later output normally', async () => {
    const { connection, sockets, replays, undrawn, kept } = setUp()
    kept.token = 'first'
    connection.open()
    sockets[0].open()
    sockets[0].say(ready('second', true))
    sockets[0].output(100)
    sockets[0].output(10)
    expect(replays).toEqual([true, false])
    while (undrawn.length) undrawn.shift()!()
    expect(sockets[0].sent.at(-1)).toEqual({ type: 'ack', bytes: 110 })
  })

  it('stores the new token before it sends anything to the gateway', async () => {
    const { connection, sockets, kept, resized } = setUp()
    kept.token = 'first'
    connection.open()
    sockets[0].open()
    resized(100, 30)
    const known: (string | null)[] = []
    sockets[0].send = () => known.push(kept.token)
    sockets[0].say(ready('second', true))
    expect(known).toEqual(['second'])
  })

  it('opens a new shell after a reload if the old one has ended', async () => {
    const { connection, sockets, states, kept, replaced, askGrant } = setUp()
    kept.token = 'old'
    connection.open()
    sockets[0].open()
    sockets[0].say(CLOSED_EVENT)
    sockets[0].end(4410)
    await vi.advanceTimersByTimeAsync(0)
    expect(replaced).toEqual([CLOSED_EVENT.reason])
    expect(askGrant).toHaveBeenCalledTimes(1)
    sockets[1].open()
    expect(sockets[1].sent[0]).toMatchObject({ type: 'credentials', privateKey: 'once' })
    sockets[1].say(ready('new'))
    expect(kept.token).toBe('new')
    expect(states).toEqual([{ at: 'connecting' }, { at: 'open', label: 'web-1' }])
  })

  it('opens no new shell automatically while the screen shows the old one’s output', async () => {
    const { connected, sockets, states, kept } = setUp()
    const socket = await connected()
    socket.end(1006)
    sockets[1].open()
    sockets[1].say(CLOSED_EVENT)
    sockets[1].end(4410)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sockets).toHaveLength(2)
    expect(states.at(-1)).toEqual({ at: 'closed', reason: CLOSED_EVENT.reason })
    expect(kept.token).toBeNull()
  })

  it('stops reconnecting when the gateway can no longer keep the shell', async () => {
    const { connected, sockets, states } = setUp()
    const socket = await connected()
    socket.end(1006)
    for (let waited = 0; waited < 31 * 60_000; waited += 10_000) {
      sockets.at(-1)!.end()
      await vi.advanceTimersByTimeAsync(10_000)
    }
    expect(states.at(-1)).toMatchObject({
      at: 'closed',
      reason: expect.stringMatching(/was lost/),
    })
  })

  it('reconnects immediately when the network returns', async () => {
    const { connected, connection, sockets, states } = setUp()
    const socket = await connected()
    socket.end(1006)
    sockets[1].end()
    connection.retry()
    expect(sockets).toHaveLength(3)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(sockets).toHaveLength(3)
    sockets[2].open()
    sockets[2].say(ready('second', true))
    // A connection that seems open may belong to the previous network, so `retry` replaces it.
    connection.retry()
    expect(sockets).toHaveLength(4)
    expect(states.at(-1)).toEqual({ at: 'lost' })
  })

  it('ends the shell when it is closed or replaced, but keeps it when the page is left', async () => {
    const { connected, connection, sockets, states, kept } = setUp()
    const socket = await connected()
    connection.finish()
    expect(socket.sent.at(-1)).toEqual({ type: 'end' })
    expect(kept.token).toBeNull()
    expect(states.at(-1)).toEqual({ at: 'closed', reason: 'You closed this terminal.' })
    connection.connect()
    await vi.advanceTimersByTimeAsync(0)
    sockets[1].open()
    sockets[1].say(ready('second'))
    connection.dispose()
    expect(sockets[1].sent.map(({ type }) => type)).toEqual(['credentials'])
    expect(kept.token).toBe('second')
  })

  it('retries an unreachable gateway, each time with a new grant', async () => {
    const { connection, sockets, states, askGrant } = setUp()
    connection.connect()
    await vi.advanceTimersByTimeAsync(0)
    for (const [tries, wait] of RETRY_DELAYS_MS.entries()) {
      sockets[tries].end()
      await vi.advanceTimersByTimeAsync(wait)
    }
    expect(askGrant).toHaveBeenCalledTimes(RETRY_DELAYS_MS.length + 1)
    sockets.at(-1)!.end()
    expect(states.at(-1)).toMatchObject({
      at: 'closed',
      reason: expect.stringMatching(/Cannot reach/),
    })
  })

  it('opens no socket if the server rejects the grant, and reports the reason', async () => {
    const { connection, sockets, states } = setUp('host', [{ refused: 'Only administrators.' }])
    connection.connect()
    await vi.advanceTimersByTimeAsync(0)
    expect(sockets).toHaveLength(0)
    expect(states.at(-1)).toEqual({ at: 'closed', reason: 'Only administrators.' })
  })

  it('reports nothing after it was disposed', async () => {
    const { connected, connection, states } = setUp()
    const socket = await connected()
    connection.dispose()
    socket.say({ type: 'closed', reason: 'late' })
    socket.end(1000)
    expect(socket.readyState).toBe(3)
    expect(states).toHaveLength(2)
  })
})

describe('URL of the gateway', () => {
  it('contains the area of the grant route', () => {
    expect(gatewayUrlOfGrant('ws://127.0.0.1:3334', '/terminal/grants')).toBe(
      'ws://127.0.0.1:3334/terminal'
    )
    expect(gatewayUrlOfGrant('wss://berth.test/', '/admin/terminal/grants')).toBe(
      'wss://berth.test/admin/terminal'
    )
  })
})
