import type ssh2 from 'ssh2'
import { wrapCommand, interactiveShellArgv } from '../command.js'
import { MachineError } from '../errors.js'
import { runToEnd } from '../run_to_end.js'
import { settleWithin } from '../settle_within.js'
import { quoteForShell } from '../shell_quote.js'
import type {
  ExecOptions,
  ExecResult,
  Machine,
  RemoteProcess,
  Shell,
  ShellOptions,
  SpawnOptions,
} from '../types.js'
import { SshConnection, type SshTarget } from './connection.js'
import { SshProcess } from './process.js'
import { SHELL_WINDOW_BYTES, SshShell } from './interactive_shell.js'

const SIGNAL_TIMEOUT_MS = 3_000

/**
 * Runs commands over SSH. Opens connections on demand, with up to eight channels each. If a connection breaks, the
 * calls that use it fail, and the next call opens a new one.
 */
export class SshMachine implements Machine {
  #links: SshConnection[] = []
  #connecting: Promise<SshConnection> | null = null
  #closed = false
  #sweep: NodeJS.Timeout | null = null

  readonly #target: SshTarget
  readonly #idle: number

  /** @param idle time in milliseconds until an unused connection closes. Default one minute */
  constructor(target: SshTarget, idle = 60_000) {
    this.#target = target
    this.#idle = idle
  }

  async exec(argv: string[], options: ExecOptions = {}): Promise<ExecResult> {
    return runToEnd(await this.spawn(argv, options), options)
  }

  async spawn(argv: string[], options: SpawnOptions = {}): Promise<RemoteProcess> {
    const command = wrapCommand(argv, options, this.#needsSudo)
    const line = quoteForShell(command.argv)
    const { link, channel } = await this.#channel((free) => free.exec(line))
    return new SshProcess(link, channel, command, options, (pid, signal) =>
      this.#signalGroup(pid, signal, options.user)
    )
  }

  async shell(options: ShellOptions): Promise<Shell> {
    const pty = { term: options.term ?? 'xterm-256color', cols: options.cols, rows: options.rows }
    const argv = interactiveShellArgv(options, this.#needsSudo)
    const { link, channel } = await this.#channel((free) =>
      argv
        ? free.exec(quoteForShell(argv), pty, SHELL_WINDOW_BYTES)
        : free.loginShell(pty, SHELL_WINDOW_BYTES)
    )
    return new SshShell(link, channel)
  }

  async connect(): Promise<void> {
    while (!this.#links.some((link) => !link.lost)) {
      if (this.#closed) throw this.#closedError()
      this.#connecting ??= this.#addLink()
      await this.#connecting
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const link of [...this.#links]) link.end(this.#closedError())
  }

  #endIdleLinks(): void {
    for (const link of [...this.#links]) {
      if (link.open === 0 && Date.now() - link.idleSince >= this.#idle) {
        link.end(new MachineError('closed', 'The connection was closed because it was not used'))
      }
    }
  }

  get connections(): number {
    return this.#links.length
  }

  get #needsSudo(): boolean {
    return this.#target.username !== 'root'
  }

  #closedError(): MachineError {
    return new MachineError('closed', `The connection to ${this.#target.host} is closed`)
  }

  async #signalGroup(pid: number, signal: string, user?: 'root'): Promise<void> {
    const kill = ['kill', '-s', signal.slice(3), '--', `-${pid}`]
    const argv = user === 'root' && this.#needsSudo ? ['sudo', '-n', '--', ...kill] : kill
    const { channel } = await this.#channel((link) => link.exec(quoteForShell(argv)))
    channel.resume()
    channel.stderr.resume()
    const done = new Promise<void>((resolve) => channel.once('close', () => resolve()))
    await settleWithin(done, SIGNAL_TIMEOUT_MS)
  }

  /** Opens a channel. If the machine rejects a further channel on a connection, uses another connection. */
  async #channel(
    open: (link: SshConnection) => Promise<ssh2.ClientChannel>
  ): Promise<{ link: SshConnection; channel: ssh2.ClientChannel }> {
    for (let attempt = 0; ; attempt++) {
      const link = await this.#freeLink()
      try {
        return { link, channel: await open(link) }
      } catch (error) {
        if (error instanceof MachineError) throw error
        const others = link.open
        if (others === 0 || attempt >= 8) {
          const message = `${this.#target.host} refuses to open another session`
          throw new MachineError('unreachable', message, { cause: error })
        }
        link.capacity = Math.min(link.capacity, others)
      }
    }
  }

  async #freeLink(): Promise<SshConnection> {
    for (;;) {
      if (this.#closed) throw this.#closedError()
      const free = this.#links.find((link) => link.free)
      if (free) return free.reserve()
      this.#connecting ??= this.#addLink()
      await this.#connecting
    }
  }

  async #addLink(): Promise<SshConnection> {
    try {
      const link = await SshConnection.connect(this.#target)
      if (this.#closed) link.end(new MachineError('closed', 'The connection is closed'))
      if (link.lost) throw link.lost
      this.#links.push(link)
      this.#sweep ??= setInterval(() => this.#endIdleLinks(), Math.max(100, this.#idle / 4)).unref()
      link.once('lost', () => {
        this.#links = this.#links.filter((other) => other !== link)
        if (this.#links.length === 0 && this.#sweep) {
          clearInterval(this.#sweep)
          this.#sweep = null
        }
      })
      return link
    } finally {
      this.#connecting = null
    }
  }
}

/** @throws MachineError if the first connection fails */
export async function connectSsh(target: SshTarget, idle?: number): Promise<SshMachine> {
  const machine = new SshMachine(target, idle)
  await machine.connect()
  return machine
}
