import type { WebSocket } from 'ws'
import { MachineError, type ExitStatus, type Shell } from '#packages/machine/main'
import { BadFrame, readFrame, type Credentials } from './messages.js'
import { Output } from './output.js'
import {
  CLOSE_BAD_FRAME,
  CLOSE_ENDED,
  CLOSE_IDLE,
  CLOSE_MACHINE_LOST,
  CLOSE_REFUSED,
  CLOSE_TOO_MANY,
  type ServerMessage,
} from './protocol.js'
import type { GatewayOptions, Identity, Session } from './types.js'

/** Typed bytes that the machine has not taken yet: from here on the browser is held back … */
const INPUT_HIGH = 256 * 1024
/** … and from here on the session ends. */
const INPUT_LIMIT = 1024 * 1024
/** What a browser may send before its shell is open. */
const EARLY_LIMIT = 64 * 1024
/** How long a browser may take to answer our close, in ms. */
const CLOSE_PATIENCE = 2_000

/** What a machine that is stopped does to a shell, as Incus tells it; nobody ends one like this. */
const KILLED = 'The shell was killed. Its machine may have been stopped.'
const SIGKILL_CODE = 137

export type TerminalOptions = GatewayOptions &
  Required<
    Pick<GatewayOptions, 'idleTimeout' | 'idleWarning' | 'pingInterval' | 'credentialsTimeout'>
  > & {
    onError: (error: unknown) => void
    /** Takes one of the machine's places; null when there is none left. */
    enter: (machineId: string) => (() => void) | null
  }

/** One browser's terminal, from the upgrade to the end. */
export class Terminal {
  /** Settles when everything of it is gone and told. */
  readonly gone: Promise<void>
  private settle!: () => void
  private phase: 'waiting' | 'opening' | 'open' | 'over' = 'waiting'
  private session: Session | null = null
  private leave: (() => void) | null = null
  private shell: Shell | null = null
  private output: Output | null = null
  private size = { cols: 80, rows: 24 }
  private early: string[] = []
  private earlyBytes = 0
  private unwritten = 0
  private alive = true
  private pingedAt = 0
  private lastKey = Date.now()
  private warned = false
  private timers: NodeJS.Timeout[] = []

  constructor(
    private readonly socket: WebSocket,
    private readonly identity: Identity,
    private readonly options: TerminalOptions
  ) {
    this.gone = new Promise((resolve) => (this.settle = resolve))
    socket.on('message', (data: Buffer, binary: boolean) => this.receive(data, binary))
    socket.on('pong', () => this.pong())
    socket.on('error', () => {})
    socket.on('close', () => this.end('The browser has gone', null))
    this.timers.push(
      setTimeout(() => {
        if (this.phase === 'waiting') this.refuse('No credentials came')
      }, options.credentialsTimeout),
      setInterval(() => this.checkAlive(), options.pingInterval)
    )
  }

  /** Tells the browser the reason, hangs the shell up, closes the socket. Safe to call twice. */
  end(reason: string, code: number | null): void {
    if (this.phase === 'over') return
    this.phase = 'over'
    for (const timer of this.timers) clearTimeout(timer)
    this.output?.stop()
    this.shell?.close()
    if (code === null) this.socket.terminate()
    else this.say({ type: 'closed', reason })
    if (code !== null) {
      this.socket.close(code)
      if (this.socket.isPaused) this.socket.resume()
      const patience = setTimeout(() => this.socket.terminate(), CLOSE_PATIENCE)
      this.socket.once('close', () => clearTimeout(patience))
    }
    void this.report(reason)
  }

  refuse(reason: string, code: number = CLOSE_REFUSED): void {
    this.end(reason, code)
  }

  /** Something that the person is to know before it happens. */
  warn(text: string): void {
    if (this.phase === 'open') this.say({ type: 'warning', text })
  }

  private async report(reason: string): Promise<void> {
    this.leave?.()
    try {
      await this.session?.onClosed(reason, this.output?.sent ?? 0)
    } catch (error) {
      this.options.onError(error)
    }
    if (this.socket.readyState !== this.socket.CLOSED) {
      await new Promise((resolve) => this.socket.once('close', resolve))
    }
    this.settle()
  }

  private receive(bytes: Buffer, binary: boolean): void {
    if (this.phase === 'over') return
    this.alive = true
    try {
      const message = readFrame(bytes, binary)
      if (message.type === 'credentials') {
        if (this.phase !== 'waiting') throw new BadFrame('Credentials came twice')
        void this.open(message)
        return
      }
      if (this.phase === 'waiting') throw new BadFrame('The first message was not the credentials')
      if (message.type === 'ack') this.acknowledge(message.bytes)
      else if (message.type === 'resize') this.resize(message)
      else this.type(message.data)
    } catch (error) {
      if (!(error instanceof BadFrame)) this.options.onError(error)
      this.end(error instanceof BadFrame ? error.message : 'Something went wrong', CLOSE_BAD_FRAME)
    }
  }

  private async open({ grant, cols, rows }: Credentials): Promise<void> {
    this.phase = 'opening'
    this.size = { cols, rows }
    try {
      const answer = await this.options.redeem(grant, this.identity)
      if ('refused' in answer) return this.refuse(answer.reason)
      if (this.isOver()) {
        await answer.onClosed('The browser has gone', 0)
        return
      }
      this.session = answer
      const { revoked } = answer
      revoked?.addEventListener('abort', () => this.refuse(String(revoked.reason)), { once: true })
      this.leave = this.options.enter(answer.machineId)
      if (!this.leave) {
        return this.refuse('Too many terminals are open on this machine', CLOSE_TOO_MANY)
      }
      const shell = await answer.open(this.size)
      if (this.isOver()) return shell.close()
      this.connect(shell, answer)
    } catch (error) {
      if (!(error instanceof MachineError)) this.options.onError(error)
      const reason = error instanceof MachineError ? error.message : 'The terminal did not open'
      this.end(reason, CLOSE_MACHINE_LOST)
    }
  }

  private connect(shell: Shell, session: Session): void {
    this.shell = shell
    const output = new Output(shell, (bytes) => this.socket.send(bytes, { binary: true }))
    this.output = output
    shell.on('data', (chunk) => output.push(chunk))
    shell.on('close', (status, error) => {
      if (this.isOver()) return
      output.finish()
      if (error) this.end(error.message, CLOSE_MACHINE_LOST)
      else if (wasKilled(status)) this.end(KILLED, CLOSE_MACHINE_LOST)
      else this.end('The session has ended', CLOSE_ENDED)
    })
    this.phase = 'open'
    this.say({ type: 'ready', label: session.label })
    this.ping()
    shell.resize(this.size.cols, this.size.rows)
    for (const data of this.early) this.type(data)
    this.early = []
    this.lastKey = Date.now()
    const { idleTimeout } = this.options
    this.timers.push(setInterval(() => this.watchIdle(), Math.min(5_000, idleTimeout / 10)))
  }

  private type(data: string): void {
    this.lastKey = Date.now()
    this.warned = false
    if (!this.shell) {
      this.early.push(data)
      this.earlyBytes += Buffer.byteLength(data)
      if (this.earlyBytes > EARLY_LIMIT) throw new BadFrame('Too much came before the shell opened')
      return
    }
    const bytes = Buffer.from(data)
    this.unwritten += bytes.length
    void this.shell.write(bytes).then(() => {
      this.unwritten -= bytes.length
      this.holdBrowser()
    })
    if (this.unwritten > INPUT_LIMIT) {
      throw new BadFrame('More was typed than the machine takes in')
    }
    this.holdBrowser()
  }

  /** Never while the shell waits for an acknowledgement, which comes over the same socket. */
  private holdBrowser(): void {
    if (this.phase !== 'open') return
    const wait = this.unwritten > INPUT_HIGH && !this.output?.blocked
    if (wait && !this.socket.isPaused) this.socket.pause()
    else if (!wait && this.socket.isPaused) this.socket.resume()
  }

  private acknowledge(bytes: number): void {
    this.output?.acknowledge(bytes)
    this.holdBrowser()
  }

  private resize(size: { cols: number; rows: number }): void {
    this.size = { cols: size.cols, rows: size.rows }
    this.shell?.resize(size.cols, size.rows)
  }

  private watchIdle(): void {
    const { idleTimeout, idleWarning } = this.options
    const left = this.lastKey + idleTimeout - Date.now()
    if (left <= 0 && this.warned) {
      this.end('Closed because no key was pressed for a long time', CLOSE_IDLE)
    } else if (left <= idleWarning && !this.warned) {
      this.warned = true
      // Nobody is closed without having been warned, however late this check comes.
      if (left <= 0) this.lastKey = Date.now() - idleTimeout + idleWarning
      const seconds = Math.max(1, Math.round((left > 0 ? left : idleWarning) / 1000))
      this.say({
        type: 'warning',
        text: `This terminal closes in ${seconds} seconds unless a key is pressed`,
      })
    }
  }

  /** A browser that has not answered since the last turn is gone. */
  private checkAlive(): void {
    // Held back by us, it cannot answer.
    if (this.socket.isPaused) return
    if (!this.alive) return this.end('The browser does not answer', null)
    this.alive = false
    this.ping()
  }

  private ping(): void {
    this.pingedAt = performance.now()
    this.socket.ping()
  }

  private pong(): void {
    this.alive = true
    this.output?.roundTrip(performance.now() - this.pingedAt)
  }

  private say(message: ServerMessage): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message))
  }

  /** Asked after an await, where the compiler believes to know the phase. */
  private isOver(): boolean {
    return this.phase === 'over'
  }
}

function wasKilled({ code, signal }: ExitStatus): boolean {
  return code === SIGKILL_CODE || signal === 'KILL' || signal === 'SIGKILL'
}
