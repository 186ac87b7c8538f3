import { spawn, type ChildProcess } from 'node:child_process'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { eachLine } from '../packages/machine/lines.js'
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

interface Kept {
  role: Role
  log: WriteStream
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
export class Supervisor {
  #kept = new Map<string, Kept>()
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

  /** Starts a role and keeps it running until `stop`. */
  async start(role: Role): Promise<void> {
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
    const kept: Kept = { role, log, startedAt: 0, deaths: 0 }
    this.#kept.set(role.name, kept)
    this.#launch(kept)
  }

  /** Asks every role to end (SIGTERM), kills what has not after the patience, and waits until none is left. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all([...this.#kept.values()].map((kept) => this.#end(kept)))
    this.#kept.clear()
  }

  async #end({ child, retry, log }: Kept): Promise<void> {
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

  #launch(kept: Kept): void {
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
      if (!this.#stopping) this.#restartLater(kept, why)
    }
    child.once('error', (error) => ended(error.message))
    child.once('exit', (code, signal) => ended(signal ? `by ${signal}` : `with code ${code}`))
  }

  #restartLater(kept: Kept, why: string): void {
    const { first, most } = this.#options.backoff
    if (Date.now() - kept.startedAt > healthyAfter) kept.deaths = 0
    const wait = Math.min(first * 2 ** kept.deaths, most)
    kept.deaths++
    const { name } = kept.role
    const pause = `${Math.round(wait / 100) / 10} s`
    const line =
      kept.deaths >= crashLoopAt
        ? `${name} is in a crash loop: ended ${why}, ${kept.deaths} times in a row. See ${join(this.#options.logs, `${name}.log`)}. Next try in ${pause}`
        : `${name} ended ${why}; starting it again in ${pause}`
    this.#options.say(line)
    kept.log.write(`${line}\n`)
    kept.retry = setTimeout(() => this.#launch(kept), wait)
  }

  #follow(kept: Kept, output: Readable): void {
    const { log, role } = kept
    void eachLine(output, (line) => {
      const room = !log.writable || log.write(line + '\n')
      if (!room && !output.isPaused()) {
        output.pause()
        log.once('drain', () => output.resume())
      }
      const news = this.#options.news(line)
      if (news) this.#options.say(`${role.name.padEnd(8)} ${news}`)
    })
  }
}

function isAlive(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}
