import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { forEachLine } from '../packages/machine/line_splitter.js'
import { DRAIN_SIGNAL } from '../packages/service/graceful_handover.js'
import type { ProcessManager, ManagedProcess } from './release/process_manager.js'
import { signalProcessGroup, withParentDeathSignal, type ProcessUser } from './run_program.js'

/** A program that the supervisor keeps running. Its environment may contain secrets, but its arguments must not. */
export interface ProcessSpec {
  name: string
  argv: string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** User of the program. Default: the current user. */
  as?: ProcessUser
  /** Called with each message that the process sends over an IPC channel. Default: the process has no such channel. */
  onMessage?: (message: unknown) => void
  /** Called if the process exits unexpectedly. Default: the supervisor restarts the process after a delay. */
  onExit?: (reason: string) => void
}

export interface SupervisorOptions {
  logs: string
  report: (line: string) => void
  /**
   * Returns the text to print for a line of output. Undefined: the line is not printed. The role's log contains all
   * lines.
   */
  summarizeLine?: (line: string) => string | undefined
  /** Delay before the first restart, and the maximum delay, in milliseconds. */
  backoff?: { first: number; max: number }
  /** Time from SIGTERM to SIGKILL in milliseconds. */
  stopTimeoutMs?: number
  /** Maximum number of lines of a process's output to keep, as the explanation if it does not start. */
  maxRecentLines?: number
}

/**
 * Number of crashes in a row that count as a crash loop. A crash more than a minute after the process was started
 * begins a new count.
 */
const crashLoopAt = 3
const healthyAfter = 60_000
const maxLogBytes = 50 * 1024 * 1024

interface Started {
  role: ProcessSpec
  log: WriteStream
  recentLines: string[]
  /** Whether the process was asked to exit. If so, it is not restarted. */
  leaving: boolean
  child?: ChildProcess
  retry?: NodeJS.Timeout
  startedAt: number
  deaths: number
}

/**
 * Keeps the processes of roles running. Logs their output, and restarts processes that exit, with growing delays. Each
 * process has a separate process group, so that its child processes stop with it. If this process dies, even by kill
 * -9, the kernel sends SIGTERM to each role (needs setpriv).
 */
export class Supervisor implements ProcessManager {
  #processes = new Map<string, Started>()
  #count = 0
  #options: Required<SupervisorOptions>
  #stopping = false

  constructor(options: SupervisorOptions) {
    this.#options = {
      summarizeLine: () => undefined,
      backoff: { first: 1000, max: 30_000 },
      stopTimeoutMs: 10_000,
      maxRecentLines: 20,
      ...options,
    }
  }

  get pids(): Record<string, number> {
    const running = [...this.#processes.values()].filter(
      ({ child }) => child?.pid && isAlive(child)
    )
    return Object.fromEntries(running.map(({ role, child }) => [role.name, child!.pid!]))
  }

  async start(role: ProcessSpec): Promise<string> {
    const file = join(this.#options.logs, `${role.name}.log`)
    const size = await stat(file).then(
      (stats) => stats.size,
      () => 0
    )
    if (size > maxLogBytes) await rename(file, `${file}.1`)
    const log = createWriteStream(file, { flags: 'a', mode: 0o600 })
    // Processes must keep running even if a log cannot be written, for example because the disk is full.
    log.on('error', (error) =>
      this.#options.report(`${role.name}.log cannot be written: ${error.message}`)
    )
    const entry: Started = { role, log, recentLines: [], leaving: false, startedAt: 0, deaths: 0 }
    const id = this.#processes.has(role.name) ? `${role.name} ${++this.#count}` : role.name
    this.#processes.set(id, entry)
    this.#launch(entry)
    return id
  }

  async list(): Promise<ManagedProcess[]> {
    return [...this.#processes].map(([id, { role, child, deaths, leaving }]) => ({
      id,
      name: role.name,
      folder: role.cwd,
      deaths,
      leaving,
      pid: child?.pid && isAlive(child) ? child.pid : undefined,
    }))
  }

  async leave(id: string): Promise<void> {
    const entry = this.#processes.get(id)
    if (!entry || entry.leaving) return
    entry.leaving = true
    clearTimeout(entry.retry)
    if (entry.child && isAlive(entry.child)) entry.child.kill(DRAIN_SIGNAL)
  }

  async end(id: string): Promise<void> {
    const entry = this.#processes.get(id)
    if (!entry) return
    entry.leaving = true
    await this.#end(entry)
    this.#processes.delete(id)
  }

  async restart(id: string): Promise<void> {
    const entry = this.#processes.get(id)
    if (!entry) return
    entry.leaving = true
    await this.#endProcess(entry)
    entry.leaving = false
    if (!this.#stopping) this.#launch(entry)
  }

  send(id: string, message: object): void {
    const child = this.#processes.get(id)?.child
    // Ignores errors: the process may have exited before it receives the message.
    if (child?.connected) child.send(message, () => {})
  }

  async words(id: string): Promise<string[]> {
    return this.#processes.get(id)?.recentLines ?? []
  }

  /** Sends SIGTERM to every process, and SIGKILL after `stopTimeoutMs`. Waits until all have exited. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#processes.values()].map((entry) => this.#end(entry)))
    this.#processes.clear()
  }

  async #end(entry: Started): Promise<void> {
    await this.#endProcess(entry)
    await new Promise<void>((done) => entry.log.end(done))
  }

  async #endProcess({ child, retry }: Started): Promise<void> {
    clearTimeout(retry)
    if (child?.pid && isAlive(child)) {
      const gone = new Promise<void>((done) => child.once('exit', () => done()))
      const late = setTimeout(
        () => signalProcessGroup(child, 'SIGKILL'),
        this.#options.stopTimeoutMs
      )
      child.kill('SIGTERM')
      await gone
      clearTimeout(late)
    }
  }

  #launch(entry: Started): void {
    const { role } = entry
    const [program, ...rest] = withParentDeathSignal(role.argv, 'TERM', role.as)
    const child = spawn(program, rest, {
      cwd: role.cwd,
      env: role.env,
      detached: true,
      stdio: role.onMessage ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
    })
    if (role.onMessage) child.on('message', role.onMessage)
    entry.child = child
    entry.startedAt = Date.now()
    this.#follow(entry, child.stdout!)
    this.#follow(entry, child.stderr!)
    let over = false
    const ended = (why: string) => {
      if (over) return
      over = true
      signalProcessGroup(child, 'SIGKILL')
      if (this.#stopping || entry.leaving) return
      if (role.onExit) role.onExit(why)
      else this.#restartLater(entry, why)
    }
    child.once('error', (error) => ended(error.message))
    child.once('exit', (code, signal) => ended(signal ? `by ${signal}` : `with code ${code}`))
  }

  #restartLater(entry: Started, why: string): void {
    const { first, max } = this.#options.backoff
    if (Date.now() - entry.startedAt > healthyAfter) entry.deaths = 0
    const wait = Math.min(first * 2 ** entry.deaths, max)
    entry.deaths++
    const { name } = entry.role
    const pause = `${Math.round(wait / 100) / 10} s`
    const line =
      entry.deaths >= crashLoopAt
        ? `${name} is in a crash loop: it ended ${why}, ${entry.deaths} times in a row. See ${join(this.#options.logs, `${name}.log`)}. Next start in ${pause}`
        : `${name} ended ${why}; starting it again in ${pause}`
    this.#options.report(line)
    entry.log.write(`${line}\n`)
    entry.retry = setTimeout(() => this.#launch(entry), wait)
  }

  #follow(entry: Started, output: Readable): void {
    const { log, role } = entry
    const reading = forEachLine(output, (line) => {
      entry.recentLines = [...entry.recentLines.slice(1 - this.#options.maxRecentLines), line]
      const room = !log.writable || log.write(line + '\n')
      if (!room && !output.isPaused()) {
        output.pause()
        log.once('drain', () => output.resume())
      }
      const summary = this.#options.summarizeLine(line)
      if (summary) this.#options.report(`${role.name.padEnd(8)} ${summary}`)
    })
    reading.catch((error: Error) =>
      this.#options.report(`The output of ${role.name} is no longer logged: ${error.message}`)
    )
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
