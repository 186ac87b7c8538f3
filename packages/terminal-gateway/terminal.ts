import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { MachineError, type ExitStatus, type Shell } from '#packages/machine/main'
import { ScrollbackBuffer } from './scrollback_buffer.js'
import type { GatewayConnection, ConnectionListener } from './connection.js'
import { BadFrameError, readFrame, type ParsedCredentialsMessage } from './read_frame.js'
import { OutputSender } from './output_sender.js'
import {
  CLOSE_CODE_BAD_FRAME,
  CLOSE_CODE_ENDED,
  CLOSE_CODE_IDLE,
  CLOSE_CODE_MACHINE_LOST,
  CLOSE_CODE_NOTHING_TO_RESUME,
  CLOSE_CODE_REJECTED,
  CLOSE_CODE_TAKEN_OVER,
  CLOSE_CODE_TOO_MANY_TERMINALS,
  MIN_ROWS,
  type ResumeMessage,
} from './protocol.js'
import type { GatewayOptions, SignedInSession, RedeemedTerminalGrant } from './types.js'

/** Bytes of waiting keystrokes above which the gateway stops reading from the browser. */
const INPUT_HIGH_WATER_BYTES = 256 * 1024
/** Bytes of waiting keystrokes above which the gateway ends the session. */
const MAX_INPUT_BYTES = 1024 * 1024
const MAX_EARLY_BYTES = 64 * 1024
const MAX_UNSEEN_BYTES = 256 * 1024
const UNSEEN_PAUSE_MS = 100
/**
 * After a reconnect, the terminal gets another size for this many milliseconds, because a change of size makes
 * full-screen programs redraw.
 */
const RESIZE_NUDGE_MS = 100

/** Incus also reports SIGKILL if the instance was stopped. */
const SHELL_KILLED_MESSAGE = 'The shell was killed. The server instance may have been stopped.'
const SIGKILL_CODE = 137
const SHELL_ENDED_MESSAGE = 'The shell in this terminal has ended.'
const TOO_MANY_TERMINALS_MESSAGE =
  'You have too many terminals open, including those of pages that you left. Close one, or wait.'
const TAKEN_OVER_MESSAGE = 'This terminal was opened in another window.'

interface Size {
  cols: number
  rows: number
}

export type TerminalOptions = GatewayOptions &
  Required<
    Pick<GatewayOptions, 'idleTimeout' | 'idleWarning' | 'credentialsTimeout' | 'keepFor'>
  > & {
    onError: (error: unknown) => void
    /**
     * Counts a terminal towards the person's limit. Returns a function that subtracts it again, or null if the limit is
     * reached.
     */
    enterPerson: (personId: string) => (() => void) | null
    /** Like `enterPerson`, for the machine's limit. */
    enterMachine: (machineId: string) => (() => void) | null
    /** Initial limit of the scrollback buffer, in bytes. The gateway changes it when other terminals open or close. */
    backlog: number
    /** Called when the browser's first message arrives. From then on, the socket no longer counts as pending. */
    onIntroduced: () => void
    /**
     * Finds the terminal to which a resume token belongs, and ends it if the person may no longer use it. Returns null
     * if there is none.
     */
    findResumable: (token: string, identity: SignedInSession) => Promise<Terminal | null>
  }

/**
 * A terminal, from the WebSocket upgrade to the end of its shell. If the browser disconnects, the shell keeps running
 * for a while. A browser with the resume token can connect to it again.
 */
export class Terminal implements ConnectionListener {
  /**
   * Resolves when `onClosed` has finished and the socket is closed, or when the socket was handed over to a resumed
   * terminal.
   */
  readonly gone: Promise<void>
  #settle!: () => void
  #phase: 'waiting' | 'opening' | 'open' | 'over' = 'waiting'
  #line: GatewayConnection | null = null
  #session: RedeemedTerminalGrant | null = null
  readonly #leaving: (() => void)[] = []
  #shell: Shell | null = null
  #output: OutputSender | null = null
  readonly #backlog: ScrollbackBuffer
  #sent = 0
  #size: Size = { cols: 80, rows: 24 }
  #early: string[] = []
  #earlyBytes = 0
  #unwritten = 0
  #unseen = 0
  #lastKey = Date.now()
  #warned = false
  /** Hashes of the valid resume tokens: the newest, and the previous one until a browser sends a message. */
  #tokens: Buffer[] = []
  #timers: NodeJS.Timeout[] = []
  #keeping: NodeJS.Timeout | undefined
  #resting: NodeJS.Timeout | undefined
  #nudging: NodeJS.Timeout | undefined

  readonly #identity: SignedInSession
  readonly #options: TerminalOptions

  constructor(line: GatewayConnection, identity: SignedInSession, options: TerminalOptions) {
    this.#identity = identity
    this.#options = options

    this.gone = new Promise((resolve) => (this.#settle = resolve))
    this.#backlog = new ScrollbackBuffer(options.backlog)
    this.#line = line
    line.listener = this
    this.#timers.push(
      setTimeout(() => {
        if (this.#phase === 'waiting') this.reject('The browser sent no credentials')
      }, options.credentialsTimeout)
    )
  }

  set backlogLimit(bytes: number) {
    this.#backlog.limit = bytes
  }

  /**
   * Hangs up the shell, sends the reason to the browser and closes the socket. With `code` null, does not send the
   * reason. Repeated calls have no effect.
   */
  end(reason: string, code: number | null): void {
    if (this.#phase === 'over') return
    this.#phase = 'over'
    this.#stopTimers()
    this.#output?.stop()
    this.#shell?.close()
    const line = this.#line
    this.#line = null
    line?.end(reason, code)
    void this.#report(reason, line)
  }

  reject(reason: string, code: number = CLOSE_CODE_REJECTED): void {
    this.end(reason, code)
  }

  warn(text: string): void {
    if (this.#phase === 'open') this.#line?.sendMessage({ type: 'warning', text })
  }

  /** Whether the terminal is open, but no browser is connected to it. */
  get isLeft(): boolean {
    return this.#phase === 'open' && !this.#line
  }

  /** Returns whether a resume token belongs to this terminal, and to this person's sign-in session. */
  answersTo(token: string, { personId, sessionId }: SignedInSession): boolean {
    if (this.#phase !== 'open') return false
    if (personId !== this.#identity.personId || sessionId !== this.#identity.sessionId) return false
    const shown = hashOf(token)
    return this.#tokens.some((known) => timingSafeEqual(known, shown))
  }

  /** Ends the terminal if this person may no longer use it. */
  async recheck(identity: SignedInSession): Promise<void> {
    await this.#session?.recheck?.(identity)
  }

  receive(bytes: Buffer, binary: boolean): void {
    if (this.#phase === 'over') return
    try {
      const message = readFrame(bytes, binary)
      if (message.type === 'credentials' || message.type === 'resume') {
        if (this.#phase !== 'waiting') throw new BadFrameError('The browser sent credentials twice')
        this.#phase = 'opening'
        this.#options.onIntroduced()
        void (message.type === 'resume' ? this.#giveWay(message) : this.#open(message))
        return
      }
      if (this.#phase === 'waiting')
        throw new BadFrameError('The first message was not the credentials')
      this.#tokens.length = Math.min(this.#tokens.length, 1)
      if (message.type === 'ack') this.#acknowledge(message.bytes)
      else if (message.type === 'resize') this.#resize(message)
      else if (message.type === 'end') this.end('The person closed the terminal', CLOSE_CODE_ENDED)
      else this.#type(message.data)
    } catch (error) {
      if (!(error instanceof BadFrameError)) this.#options.onError(error)
      this.end(
        error instanceof BadFrameError ? error.message : 'Something went wrong',
        CLOSE_CODE_BAD_FRAME
      )
    }
  }

  roundTrip(ms: number): void {
    this.#output?.roundTrip(ms)
  }

  /** Keeps an open shell running for `keepFor` milliseconds. Ends the terminal if no shell is open yet. */
  lost(reason: string): void {
    const { keepFor } = this.#options
    if (this.#phase !== 'open' || keepFor === 0) return this.end(reason, null)
    this.#line = null
    this.#leaveOutput()
    this.#shell?.resume()
    clearTimeout(this.#keeping)
    this.#keeping = setTimeout(() => this.end('Nobody reconnected to the terminal', null), keepFor)
  }

  async #report(reason: string, line: GatewayConnection | null): Promise<void> {
    for (const leave of this.#leaving) leave()
    try {
      await this.#session?.onClosed(reason, this.#sent + (this.#output?.sent ?? 0))
    } catch (error) {
      this.#options.onError(error)
    }
    await line?.gone
    this.#settle()
  }

  async #open({ grant, cols, rows }: ParsedCredentialsMessage): Promise<void> {
    this.#size = { cols, rows }
    try {
      const leavePerson = this.#options.enterPerson(this.#identity.personId)
      if (!leavePerson)
        return this.reject(TOO_MANY_TERMINALS_MESSAGE, CLOSE_CODE_TOO_MANY_TERMINALS)
      this.#leaving.push(leavePerson)
      const answer = await this.#options.redeem(grant, this.#identity)
      if ('refused' in answer) return this.reject(answer.reason)
      if (this.#isOver()) {
        await answer.onClosed('The browser closed the connection', 0)
        return
      }
      this.#session = answer
      const { revoked } = answer
      revoked?.addEventListener('abort', () => this.reject(String(revoked.reason)), { once: true })
      const there = this.#options.enterMachine(answer.machineId)
      if (!there)
        return this.reject(
          'Too many terminals are open on this machine',
          CLOSE_CODE_TOO_MANY_TERMINALS
        )
      this.#leaving.push(there)
      const shell = await answer.open(this.#size)
      if (this.#isOver()) return shell.close()
      this.#connect(shell)
    } catch (error) {
      if (!(error instanceof MachineError)) this.#options.onError(error)
      const reason = error instanceof MachineError ? error.message : 'The terminal did not open'
      this.end(reason, CLOSE_CODE_MACHINE_LOST)
    }
  }

  #connect(shell: Shell): void {
    this.#shell = shell
    shell.on('data', (chunk) => {
      if (this.#isOver()) return
      this.#backlog.push(chunk)
      if (this.#output) this.#output.push(chunk)
      else this.#passUnseen(chunk.length)
    })
    shell.on('close', (status, error) => {
      if (this.#isOver()) return
      this.#output?.finish()
      if (error) this.end(error.message, CLOSE_CODE_MACHINE_LOST)
      else if (wasKilled(status)) this.end(SHELL_KILLED_MESSAGE, CLOSE_CODE_MACHINE_LOST)
      else this.end('The session has ended', CLOSE_CODE_ENDED)
    })
    this.#phase = 'open'
    this.#attach(this.#line!)
    shell.resize(this.#size.cols, this.#size.rows)
    for (const data of this.#early) this.#type(data)
    this.#early = []
    this.#lastKey = Date.now()
    const { idleTimeout } = this.#options
    this.#timers.push(setInterval(() => this.#watchIdle(), Math.min(5_000, idleTimeout / 10)))
  }

  #attach(line: GatewayConnection, shown?: string): void {
    this.#line = line
    line.listener = this
    this.#output = new OutputSender(this.#shell!, (bytes) => line.send(bytes))
    const token = randomBytes(32).toString('base64url')
    // A page that is reloaded immediately knows only the old token. So the old token stays valid until the browser
    // sends a message.
    this.#tokens = [token, ...(shown ? [shown] : [])].map(hashOf)
    line.sendMessage({ type: 'ready', label: this.#session!.label, token, resumed: Boolean(shown) })
    line.ping()
  }

  async #giveWay(message: ResumeMessage): Promise<void> {
    try {
      const resumable = await this.#options.findResumable(message.token, this.#identity)
      if (this.#isOver()) return
      if (!resumable?.answersTo(message.token, this.#identity)) {
        return this.reject(SHELL_ENDED_MESSAGE, CLOSE_CODE_NOTHING_TO_RESUME)
      }
      const line = this.#line!
      this.#phase = 'over'
      this.#line = null
      this.#stopTimers()
      this.#settle()
      resumable.#takeUp(line, message)
    } catch (error) {
      // The permission check failed with an error. The shell keeps running, so the browser can try again.
      this.#options.onError(error)
      this.end('The terminal could not be reconnected', null)
    }
  }

  #takeUp(line: GatewayConnection, { token, cols, rows }: ResumeMessage): void {
    this.#line?.end(TAKEN_OVER_MESSAGE, CLOSE_CODE_TAKEN_OVER)
    clearTimeout(this.#keeping)
    clearTimeout(this.#resting)
    this.#unseen = 0
    this.#leaveOutput()
    this.#shell!.resume()
    this.#attach(line, token)
    this.#output!.replay(this.#backlog.replay())
    this.#size = { cols, rows }
    this.#shell!.resize(cols, rows > MIN_ROWS ? rows - 1 : rows + 1)
    clearTimeout(this.#nudging)
    this.#nudging = setTimeout(
      () => this.#shell!.resize(this.#size.cols, this.#size.rows),
      RESIZE_NUDGE_MS
    )
    if (this.#warned) this.#warnIdle()
  }

  #leaveOutput(): void {
    this.#output?.stop()
    this.#sent += this.#output?.sent ?? 0
    this.#output = null
  }

  /**
   * Slows down a shell that produces much output while no browser is connected. The shell must not stop completely, but
   * its output must not keep the gateway busy either.
   */
  #passUnseen(bytes: number): void {
    this.#unseen += bytes
    if (this.#unseen < MAX_UNSEEN_BYTES || !this.#shell) return
    this.#unseen = 0
    this.#shell.pause()
    clearTimeout(this.#resting)
    this.#resting = setTimeout(() => this.#shell?.resume(), UNSEEN_PAUSE_MS)
  }

  #type(data: string): void {
    this.#lastKey = Date.now()
    this.#warned = false
    if (!this.#shell) {
      this.#early.push(data)
      this.#earlyBytes += Buffer.byteLength(data)
      if (this.#earlyBytes > MAX_EARLY_BYTES)
        throw new BadFrameError('Too much was typed before the shell opened')
      return
    }
    const bytes = Buffer.from(data)
    this.#unwritten += bytes.length
    void this.#shell.write(bytes).then(() => {
      this.#unwritten -= bytes.length
      this.#holdBrowser()
    })
    if (this.#unwritten > MAX_INPUT_BYTES) {
      throw new BadFrameError('More was typed than the shell accepts')
    }
    this.#holdBrowser()
  }

  /**
   * Stops reading from the browser while too much input waits for the shell. Keeps reading while the shell is paused
   * until an acknowledgement, because that arrives over the same socket.
   */
  #holdBrowser(): void {
    if (this.#phase !== 'open') return
    this.#line?.hold(this.#unwritten > INPUT_HIGH_WATER_BYTES && !this.#output?.blocked)
  }

  #acknowledge(bytes: number): void {
    this.#output?.acknowledge(bytes)
    this.#holdBrowser()
  }

  #resize(size: Size): void {
    this.#size = { cols: size.cols, rows: size.rows }
    this.#shell?.resize(size.cols, size.rows)
  }

  #watchIdle(): void {
    const { idleTimeout, idleWarning } = this.#options
    const left = this.#lastKey + idleTimeout - Date.now()
    if (left <= 0 && this.#warned) {
      this.end(
        'This terminal was closed, because no key was pressed for a long time',
        CLOSE_CODE_IDLE
      )
    } else if (left <= idleWarning && !this.#warned) {
      this.#warned = true
      // The person always gets a warning before the terminal closes, even if this check runs too late for that.
      if (left <= 0) this.#lastKey = Date.now() - idleTimeout + idleWarning
      this.#warnIdle()
    }
  }

  #warnIdle(): void {
    const left = this.#lastKey + this.#options.idleTimeout - Date.now()
    const seconds = Math.max(1, Math.round(left / 1000))
    this.warn(`This terminal closes in ${seconds} seconds unless a key is pressed`)
  }

  #stopTimers(): void {
    for (const timer of this.#timers) clearTimeout(timer)
    for (const timer of [this.#keeping, this.#resting, this.#nudging]) clearTimeout(timer)
  }

  /** A method, because TypeScript assumes after a comparison that `#phase` stays the same, even across an await. */
  #isOver(): boolean {
    return this.#phase === 'over'
  }
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

function wasKilled({ code, signal }: ExitStatus): boolean {
  return code === SIGKILL_CODE || signal === 'KILL' || signal === 'SIGKILL'
}
