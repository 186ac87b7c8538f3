import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { eachLine } from '../packages/machine/lines.js'
import { LEAVE_SIGNAL } from '../packages/service/rolling_restart.js'
import type { ProcessManager, ManagedProcess } from './release/process_manager.js'
import { signalGroup, tiedToUs, type As } from './run.js'

/** A program to keep running. Its environment may hold secrets; its arguments may not. */
export interface Role {
  name: string
  argv: string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** Whom it runs as; as we do unless told. */
  as?: As
}

export interface SupervisorOptions {
  /** Folder for `ROLE.log`. */
  logs: string
  /** Where short lines for people go. */
  say: (line: string) => void
  /** What people see of a line of a role's output, if anything; all lines are in its log. */
  news?: (line: string) => string | undefined
  /** Milliseconds before the first restart, and at most. */
  backoff?: { first: number; most: number }
  /** Milliseconds that a role has to stop before it is killed. */
  patience?: number
}

/** After this many deaths without a minute of life in between it is called a crash loop. */
const crashLoopAt = 3
const healthyAfter = 60_000
const largestLog = 50 * 1024 * 1024

/** Lines of a role's output that are remembered, for whoever asks why it does not start. */
const remembered = 20

interface Started {
  role: Role
  log: WriteStream
  /** The end of what it said. */
  said: string[]
  /** Asked to leave: it is not started again. */
  leaving: boolean
  child?: ChildProcess
  retry?: NodeJS.Timeout
  startedAt: number
  deaths: number
}

/**
 * Keeps roles running: starts them, writes their output to logs, restarts what dies with growing
 * pauses, and stops all of them. Every role has a process group of its own, so that its own
 * children go with it, and dies with us even when we are killed.
 */
export class Supervisor implements ProcessManager {
  #kept = new Map<string, Started>()
  #count = 0
  #options: Required<SupervisorOptions>
  #stopping = false

  constructor(options: SupervisorOptions) {
    this.#options = {
      news: () => undefined,
      backoff: { first: 1000, most: 30_000 },
      patience: 10_000,
      ...options,
    }
  }

  /** Process ids of the roles that run now, by name. */
  get pids(): Record<string, number> {
    const running = [...this.#kept.values()].filter(({ child }) => child?.pid && isAlive(child))
    return Object.fromEntries(running.map(({ role, child }) => [role.name, child!.pid!]))
  }

  /** Starts a role and keeps it running until `stop`; beside one of that name, where there is one. Returns its id. */
  async start(role: Role): Promise<string> {
    const file = join(this.#options.logs, `${role.name}.log`)
    const size = await stat(file).then(
      (found) => found.size,
      () => 0
    )
    if (size > largestLog) await rename(file, `${file}.1`)
    const log = createWriteStream(file, { flags: 'a', mode: 0o600 })
    // A log that cannot be written (a full disk) is no reason to end what is running.
    log.on('error', (error) =>
      this.#options.say(`${role.name}.log cannot be written: ${error.message}`)
    )
    const kept: Started = { role, log, said: [], leaving: false, startedAt: 0, deaths: 0 }
    const id = this.#kept.has(role.name) ? `${role.name} ${++this.#count}` : role.name
    this.#kept.set(id, kept)
    this.#launch(kept)
    return id
  }

  async list(): Promise<ManagedProcess[]> {
    return [...this.#kept].map(([id, { role, child, deaths, leaving }]) => ({
      id,
      name: role.name,
      folder: role.cwd,
      deaths,
      leaving,
      pid: child?.pid && isAlive(child) ? child.pid : undefined,
    }))
  }

  async leave(id: string): Promise<void> {
    const kept = this.#kept.get(id)
    if (!kept || kept.leaving) return
    kept.leaving = true
    clearTimeout(kept.retry)
    if (kept.child && isAlive(kept.child)) kept.child.kill(LEAVE_SIGNAL)
  }

  async end(id: string): Promise<void> {
    const kept = this.#kept.get(id)
    if (!kept) return
    kept.leaving = true
    await this.#end(kept)
    this.#kept.delete(id)
  }

  async words(id: string): Promise<string[]> {
    return this.#kept.get(id)?.said ?? []
  }

  /** Asks every role to end (SIGTERM), kills what has not after the patience, and waits until none is left. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#kept.values()].map((kept) => this.#end(kept)))
    this.#kept.clear()
  }

  async #end({ child, retry, log }: Started): Promise<void> {
    clearTimeout(retry)
    if (child?.pid && isAlive(child)) {
      const gone = new Promise<void>((done) => child.once('exit', () => done()))
      const late = setTimeout(() => signalGroup(child, 'SIGKILL'), this.#options.patience)
      child.kill('SIGTERM')
      await gone
      clearTimeout(late)
    }
    await new Promise<void>((done) => log.end(done))
  }

  #launch(kept: Started): void {
    const { role } = kept
    const [program, ...rest] = tiedToUs(role.argv, 'TERM', role.as)
    const child = spawn(program, rest, {
      cwd: role.cwd,
      env: role.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    kept.child = child
    kept.startedAt = Date.now()
    this.#follow(kept, child.stdout)
    this.#follow(kept, child.stderr)
    let over = false
    const ended = (why: string) => {
      if (over) return
      over = true
      signalGroup(child, 'SIGKILL')
      if (!this.#stopping && !kept.leaving) this.#restartLater(kept, why)
    }
    child.once('error', (error) => ended(error.message))
    child.once('exit', (code, signal) => ended(signal ? `by ${signal}` : `with code ${code}`))
  }

  #restartLater(kept: Started, why: string): void {
    const { first, most } = this.#options.backoff
    if (Date.now() - kept.startedAt > healthyAfter) kept.deaths = 0
    const wait = Math.min(first * 2 ** kept.deaths, most)
    kept.deaths++
    const { name } = kept.role
    const pause = `${Math.round(wait / 100) / 10} s`
    const line =
      kept.deaths >= crashLoopAt
        ? `${name} is in a crash loop: it ended ${why}, ${kept.deaths} times in a row. See ${join(this.#options.logs, `${name}.log`)}. Next start in ${pause}`
        : `${name} ended ${why}; starting it again in ${pause}`
    this.#options.say(line)
    kept.log.write(`${line}\n`)
    kept.retry = setTimeout(() => this.#launch(kept), wait)
  }

  #follow(kept: Started, output: Readable): void {
    const { log, role } = kept
    const reading = eachLine(output, (line) => {
      kept.said = [...kept.said.slice(1 - remembered), line]
      const room = !log.writable || log.write(line + '\n')
      if (!room && !output.isPaused()) {
        output.pause()
        log.once('drain', () => output.resume())
      }
      const news = this.#options.news(line)
      if (news) this.#options.say(`${role.name.padEnd(8)} ${news}`)
    })
    reading.catch((error: Error) =>
      this.#options.say(`The output of ${role.name} is no longer logged: ${error.message}`)
    )
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
