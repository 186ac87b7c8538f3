import {
  ACK_EVERY_BYTES,
  CLOSE_DRAINED,
  CLOSE_TOO_MANY,
  MAX_COLS,
  MAX_DATA_LENGTH,
  MAX_ROWS,
  MIN_COLS,
  MIN_ROWS,
  type ClientMessage,
  type ServerMessage,
} from '../../../packages/terminal-gateway/protocol'

export type InstanceType = 'regular' | 'shared' | 'host'

export interface Size {
  cols: number
  rows: number
}

/** What the server allows once. All but `grant` is said for completeness; the grant decides. */
export interface Grant {
  grant: string
  host: string
  user: string
  port?: number
  commands: string[]
}

export type GrantAnswer = { granted: Grant } | { refused: string }

export type ConnectionState =
  { at: 'connecting' } | { at: 'open'; label: string } | { at: 'closed'; reason: string }

export interface ConnectionOptions {
  /** `ws:` or `wss:` address of the gateway for this area. */
  url: string
  instanceType: InstanceType
  /** Asks the server for a grant; never throws. */
  askGrant: () => Promise<GrantAnswer>
  size: () => Size
  /** Draws output and calls back when it is on the screen. */
  draw: (bytes: Uint8Array, drawn: () => void) => void
  onState: (state: ConnectionState) => void
  /** For example that the terminal will be closed for idleness. */
  onWarning: (text: string) => void
  openSocket?: (url: string) => WebSocket
}

/** Milliseconds before the next try while no gateway answers; after the last one it gives up. */
export const RETRY_AFTER = [500, 1_000, 2_000, 4_000]

const LOST = 'The connection was lost. The network or the terminal gateway went away.'
const UNREACHABLE =
  'The terminal gateway cannot be reached. Check your connection and try again in a moment.'

const wordsOfCode: Record<number, string> = {
  [CLOSE_DRAINED]: 'The terminal gateway is being restarted.',
  [CLOSE_TOO_MANY]: 'Too many terminals are open. Close one and try again.',
}

/**
 * One shell at a time through the terminal gateway. A gateway that does not answer is tried
 * again; a shell that was open is never reopened by itself, because what is typed next would
 * land in another shell than the one people see.
 */
export class TerminalConnection {
  readonly #options: ConnectionOptions
  #socket: WebSocket | undefined
  #attempt: object | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #sent: Size | undefined
  #ready = false

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  /** Opens a new shell; one that is open is closed first. */
  connect(): void {
    this.#end()
    this.#options.onState({ at: 'connecting' })
    void this.#try({}, 0)
  }

  /** Keystrokes and pasted text; dropped while no shell is open. */
  send(data: string): void {
    if (!this.#ready) return
    for (const part of partsOf(data)) this.#post({ type: 'message', data: part })
  }

  /** Tells the machine the size of the screen, once for each size. */
  resize({ cols, rows }: Size): void {
    if (!this.#ready) return
    const size = { cols: clamp(cols, MIN_COLS, MAX_COLS), rows: clamp(rows, MIN_ROWS, MAX_ROWS) }
    if (size.cols === this.#sent?.cols && size.rows === this.#sent.rows) return
    this.#sent = size
    this.#post({ type: 'resize', ...size })
  }

  /** Ends the shell without a word: whoever calls this does not look any more. */
  dispose(): void {
    this.#end()
  }

  async #try(attempt: object, tries: number): Promise<void> {
    this.#attempt = attempt
    const { askGrant, openSocket = (url) => new WebSocket(url), url } = this.#options
    const answer = await askGrant()
    if (this.#attempt !== attempt) return
    if ('refused' in answer) return this.#closed(attempt, answer.refused)

    const socket = openSocket(url)
    socket.binaryType = 'arraybuffer'
    this.#socket = socket
    let opened = false
    let reason: string | undefined
    const draw = this.#drawing(attempt)

    socket.onopen = () => {
      if (this.#attempt !== attempt) return
      opened = true
      this.#introduce(answer.granted)
    }
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (this.#attempt !== attempt) return
      if (data instanceof ArrayBuffer) return draw(new Uint8Array(data))
      const message = parse(data)
      if (message?.type === 'ready') this.#open(message.label)
      if (message?.type === 'warning') this.#options.onWarning(message.text)
      if (message?.type === 'closed') reason = message.reason
    }
    socket.onclose = ({ code }: CloseEvent) => {
      if (this.#attempt !== attempt) return
      if (!opened && tries < RETRY_AFTER.length) {
        this.#timer = setTimeout(() => void this.#try(attempt, tries + 1), RETRY_AFTER[tries])
        return
      }
      this.#closed(attempt, reason ?? wordsOfCode[code] ?? (opened ? LOST : UNREACHABLE))
    }
  }

  #introduce({ grant, host, user, port, commands }: Grant): void {
    const { instanceType, size } = this.#options
    const { cols, rows } = size()
    this.#sent = { cols: clamp(cols, MIN_COLS, MAX_COLS), rows: clamp(rows, MIN_ROWS, MAX_ROWS) }
    const shared = instanceType === 'shared'
    this.#post({
      type: 'credentials',
      instance_type: instanceType,
      host,
      ...(!shared && { port: port ?? 22 }),
      user,
      ...this.#sent,
      commands,
      ...(shared ? { system_id: grant } : { privateKey: grant }),
    })
  }

  #open(label: string): void {
    this.#ready = true
    this.#options.onState({ at: 'open', label })
    this.resize(this.#options.size())
  }

  /** Draws what comes and acknowledges what was drawn, so that the gateway sends on. */
  #drawing(attempt: object): (bytes: Uint8Array) => void {
    let waiting = 0
    let drawn = 0
    return (bytes) => {
      waiting += bytes.byteLength
      this.#options.draw(bytes, () => {
        waiting -= bytes.byteLength
        drawn += bytes.byteLength
        if (this.#attempt !== attempt || (waiting > 0 && drawn < ACK_EVERY_BYTES)) return
        this.#post({ type: 'ack', bytes: drawn })
        drawn = 0
      })
    }
  }

  #closed(attempt: object, reason: string): void {
    if (this.#attempt !== attempt) return
    this.#end()
    this.#options.onState({ at: 'closed', reason })
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#attempt = undefined
    this.#ready = false
    this.#socket?.close()
    this.#socket = undefined
  }

  #post(message: ClientMessage): void {
    if (this.#socket?.readyState === 1) this.#socket.send(JSON.stringify(message))
  }
}

/** The gateway's address for the area of a grant call: `/admin/terminal/grants` -> `…/admin/terminal`. */
export function gatewayAddress(gatewayUrl: string, grantUrl: string): string {
  return gatewayUrl.replace(/\/$/, '') + grantUrl.replace(/\/grants$/, '')
}

/** Pieces that fit in a frame each; a character of two units stays whole. */
export function partsOf(data: string): string[] {
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

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, Math.floor(value) || least))
}
