import {
  ACK_INTERVAL_BYTES,
  CLOSE_CODE_GATEWAY_STOPPING,
  CLOSE_CODE_NOTHING_TO_RESUME,
  CLOSE_CODE_TOO_MANY_TERMINALS,
  MAX_COLS,
  MAX_DATA_LENGTH,
  MAX_ROWS,
  MIN_COLS,
  MIN_ROWS,
  type ClientMessage,
  type ReadyMessage,
  type ServerMessage,
} from '../../../packages/terminal-gateway/protocol'

export type TerminalTargetType = 'regular' | 'shared' | 'host'

export interface TerminalSize {
  cols: number
  rows: number
}

/**
 * A single-use permission to open a shell. The gateway reads only `grant`; the message format also requires the other
 * fields.
 */
export interface TerminalGrant {
  grant: string
  host: string
  user: string
  port?: number
  commands: string[]
}

export type GrantResult = { granted: TerminalGrant } | { refused: string }

/** State of a connection. `lost`: the page tries to resume the shell, which the gateway may still keep. */
export type ConnectionState =
  | { at: 'connecting' }
  | { at: 'open'; label: string }
  | { at: 'lost' }
  | { at: 'closed'; reason: string }

/** Stores the resume token, so that the shell can be resumed after a page reload. */
export interface ResumeTokenStore {
  read: () => string | null
  write: (token: string | null) => void
}

export interface ConnectionOptions {
  /** URL of the gateway, for example `wss://host/terminal` or `wss://host/admin/terminal`. */
  url: string
  instanceType: TerminalTargetType
  /** Never throws. */
  askGrant: () => Promise<GrantResult>
  size: () => TerminalSize
  /**
   * Draws bytes, then calls `drawn`. With `replayed`, the bytes are the shell's stored output, including output from
   * the time without a connection. They start with a terminal reset, and the terminal must not respond to queries in
   * them.
   */
  draw: (bytes: Uint8Array, drawn: () => void, replayed: boolean) => void
  token: ResumeTokenStore
  /** Called after a reload if the page's shell no longer exists. A new shell is then opened. */
  onReplaced: (reason: string) => void
  onState: (state: ConnectionState) => void
  /** Called with a warning, for example before the gateway closes the idle terminal. */
  onWarning: (text: string) => void
  openSocket?: (url: string) => WebSocket
}

/**
 * Delays between attempts while no gateway responds. If the attempt after the last delay fails, no new shell is opened.
 * Attempts to resume a shell continue every MAX_RETRY_DELAY_MS, as long as the gateway may still keep it.
 */
export const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000]
const MAX_RETRY_DELAY_MS = 10_000
/** Time for which the gateway keeps a disconnected shell. */
const SHELL_RETENTION_MS = 30 * 60_000

const CONNECTION_LOST_MESSAGE = 'The connection to the terminal gateway was lost.'
const CLOSED_MESSAGE = 'You closed this terminal.'
const UNREACHABLE_MESSAGE =
  'Cannot reach the terminal gateway. Check your connection and try again in a moment.'

const closeMessages: Record<number, string> = {
  [CLOSE_CODE_GATEWAY_STOPPING]: 'The terminal gateway is restarting.',
  [CLOSE_CODE_TOO_MANY_TERMINALS]: 'Too many terminals are open. Close one and try again.',
}

/**
 * Connects a page to a shell. After a lost connection it resumes the same shell. If that shell has ended while the
 * screen shows its output, no new shell opens automatically, because it would get the person's next keystrokes. A
 * reloaded page shows no output yet, so it gets a new shell.
 */
export class TerminalConnection {
  readonly #options: ConnectionOptions
  #socket: WebSocket | undefined
  #attempt: object | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #next: (() => void) | undefined
  #sent: TerminalSize | undefined
  #ready = false
  #replaying = false
  /** Whether the screen shows the output of a shell. */
  #shown = false
  #lostAt = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Resumes the shell from before a reload, or opens a new one. */
  open(): void {
    const token = this.#options.token.read()
    if (!token) return this.connect()
    this.#end()
    this.#lostAt = Date.now()
    this.#options.onState({ at: 'connecting' })
    this.#takeUp(token, 0)
  }

  /** Opens a new shell. If another one is open, ends it first. */
  connect(): void {
    this.#hangUp()
    this.#options.onState({ at: 'connecting' })
    void this.#try({}, 0)
  }

  /** Ends the shell. After `dispose` instead, the shell could be resumed. */
  finish(): void {
    this.#hangUp()
    this.#options.onState({ at: 'closed', reason: CLOSED_MESSAGE })
  }

  /**
   * Reconnects immediately, even if a connection seems open, because such a connection is dead after a change of
   * network.
   */
  retry(): void {
    const next = this.#next
    if (next) {
      clearTimeout(this.#timer)
      this.#next = undefined
      next()
    } else if (this.#ready) this.#lose()
  }

  /** Drops the input if no shell is open. */
  send(data: string): void {
    if (!this.#ready) return
    for (const part of splitIntoFrames(data)) this.#post({ type: 'message', data: part })
  }

  resize({ cols, rows }: TerminalSize): void {
    if (!this.#ready) return
    const size = { cols: clamp(cols, MIN_COLS, MAX_COLS), rows: clamp(rows, MIN_ROWS, MAX_ROWS) }
    if (size.cols === this.#sent?.cols && size.rows === this.#sent.rows) return
    this.#sent = size
    this.#post({ type: 'resize', ...size })
  }

  /** Disconnects. Neither ends the shell nor calls the functions of the options. */
  dispose(): void {
    this.#end()
  }

  async #try(attempt: object, tries: number): Promise<void> {
    this.#attempt = attempt
    const answer = await this.#options.askGrant()
    if (this.#attempt !== attempt) return
    if ('refused' in answer) return this.#closed(attempt, answer.refused)
    this.#dial(
      attempt,
      () => this.#introduce(answer.granted),
      (opened, code, reason) => {
        if (!opened && tries < RETRY_DELAYS_MS.length) {
          this.#later(RETRY_DELAYS_MS[tries], () => void this.#try(attempt, tries + 1))
        } else {
          this.#closed(
            attempt,
            reason ??
              closeMessages[code] ??
              (opened ? CONNECTION_LOST_MESSAGE : UNREACHABLE_MESSAGE)
          )
        }
      }
    )
  }

  #takeUp(token: string, tries: number): void {
    const attempt = {}
    this.#attempt = attempt
    this.#dial(
      attempt,
      () => this.#post({ type: 'resume', token, ...this.#measure() }),
      (_opened, code, reason) => {
        if (reason !== undefined && code === CLOSE_CODE_NOTHING_TO_RESUME && !this.#shown) {
          this.#options.token.write(null)
          this.#options.onReplaced(reason)
          void this.#try({}, 0)
        } else if (reason !== undefined || Date.now() - this.#lostAt > SHELL_RETENTION_MS) {
          this.#closed(attempt, reason ?? CONNECTION_LOST_MESSAGE)
        } else {
          this.#options.onState({ at: 'lost' })
          this.#later(RETRY_DELAYS_MS[tries] ?? MAX_RETRY_DELAY_MS, () =>
            this.#takeUp(token, tries + 1)
          )
        }
      }
    )
  }

  /**
   * Opens a socket. Calls `onEnd` if the socket closes before a shell is open, or if the gateway closes it with a
   * reason.
   */
  #dial(
    attempt: object,
    onOpen: () => void,
    onEnd: (opened: boolean, code: number, reason: string | undefined) => void
  ): void {
    const { openSocket = (url) => new WebSocket(url), url } = this.#options
    const socket = openSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    let opened = false
    let reason: string | undefined
    const draw = this.#drawing(attempt)

    socket.onopen = () => {
      if (this.#attempt !== attempt) return
      opened = true
      onOpen()
    }
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (this.#attempt !== attempt) return
      if (data instanceof ArrayBuffer) return draw(new Uint8Array(data))
      const message = parse(data)
      if (message?.type === 'ready') this.#open(message)
      if (message?.type === 'warning') this.#options.onWarning(message.text)
      if (message?.type === 'closed') reason = message.reason
    }
    socket.onclose = ({ code }: CloseEvent) => {
      if (this.#attempt !== attempt) return
      if (this.#ready && reason === undefined) this.#lose()
      else onEnd(opened, code, reason)
    }
  }

  #lose(): void {
    const token = this.#options.token.read()
    const attempt = this.#attempt
    if (!token) return void (attempt && this.#closed(attempt, CONNECTION_LOST_MESSAGE))
    this.#end()
    this.#lostAt = Date.now()
    this.#options.onState({ at: 'lost' })
    this.#takeUp(token, 0)
  }

  #later(ms: number, next: () => void): void {
    this.#next = next
    this.#timer = setTimeout(() => {
      this.#next = undefined
      next()
    }, ms)
  }

  #measure(): TerminalSize {
    const { cols, rows } = this.#options.size()
    this.#sent = { cols: clamp(cols, MIN_COLS, MAX_COLS), rows: clamp(rows, MIN_ROWS, MAX_ROWS) }
    return this.#sent
  }

  #introduce({ grant, host, user, port, commands }: TerminalGrant): void {
    const { instanceType } = this.#options
    const shared = instanceType === 'shared'
    this.#post({
      type: 'credentials',
      instance_type: instanceType,
      host,
      ...(!shared && { port: port ?? 22 }),
      user,
      ...this.#measure(),
      commands,
      ...(shared ? { system_id: grant } : { privateKey: grant }),
    })
  }

  #open({ label, token, resumed }: ReadyMessage): void {
    // The page's next message tells the gateway that the page has the token, so the token is stored before it.
    this.#options.token.write(token)
    this.#ready = true
    this.#shown = true
    this.#replaying = resumed
    this.#options.onState({ at: 'open', label })
    this.resize(this.#options.size())
  }

  /**
   * Returns a function that draws and acknowledges output. The gateway pauses the shell while too many bytes are
   * unacknowledged.
   */
  #drawing(attempt: object): (bytes: Uint8Array) => void {
    let waiting = 0
    let drawn = 0
    return (bytes) => {
      waiting += bytes.byteLength
      const replayed = this.#replaying
      this.#replaying = false
      const onDrawn = () => {
        waiting -= bytes.byteLength
        drawn += bytes.byteLength
        if (this.#attempt !== attempt || (waiting > 0 && drawn < ACK_INTERVAL_BYTES)) return
        this.#post({ type: 'ack', bytes: drawn })
        drawn = 0
      }
      this.#options.draw(bytes, onDrawn, replayed)
    }
  }

  #closed(attempt: object, reason: string): void {
    if (this.#attempt !== attempt) return
    this.#end()
    this.#options.token.write(null)
    this.#options.onState({ at: 'closed', reason })
  }

  #hangUp(): void {
    if (this.#ready) this.#post({ type: 'end' })
    this.#end()
    this.#options.token.write(null)
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#next = undefined
    this.#attempt = undefined
    this.#ready = false
    this.#socket?.close()
    this.#socket = undefined
  }

  #post(message: ClientMessage): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message))
  }
}

/** Returns the gateway's URL that belongs to a grant URL: `…/admin/terminal` for `/admin/terminal/grants`. */
export function gatewayUrlOfGrant(baseUrl: string, grantUrl: string): string {
  return baseUrl.replace(/\/$/, '') + grantUrl.replace(/\/grants$/, '')
}

/** Splits data into parts that each fit in one frame. Never splits a surrogate pair. */
export function splitIntoFrames(data: string): string[] {
  const parts: string[] = []
  for (let start = 0; start < data.length;) {
    let end = Math.min(start + MAX_DATA_LENGTH, data.length)
    if (end < data.length && /[\uD800-\uDBFF]/.test(data[end - 1])) end -= 1
    parts.push(data.slice(start, end))
    start = end
  }
  return parts
}

function parse(data: unknown): ServerMessage | null {
  try {
    return JSON.parse(String(data)) as ServerMessage
  } catch {
    return null
  }
}

function clamp(value: number, least: number, max: number): number {
  return Math.min(max, Math.max(least, Math.floor(value) || least))
}
