import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { PidFinder, stripPidLine, type WrappedCommand } from '../command.js'
import { MachineError } from '../errors.js'
import { settleWithin } from '../settle_within.js'
import type { ExitStatus, RemoteProcess, SpawnOptions } from '../types.js'
import type { IncusProcessStreams } from './types.js'

type Signal = NonNullable<Parameters<RemoteProcess['kill']>[0]>

const KILL_TIMEOUT_MS = 5_000

/** If signal n ended the command, the exit code is 128 + n. */
export class IncusProcess implements RemoteProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  readonly exit: Promise<ExitStatus>
  readonly #finder: PidFinder

  readonly #streams: IncusProcessStreams
  readonly #signalGroup: (pid: number, signal: Signal) => Promise<void>

  constructor(
    streams: IncusProcessStreams,
    command: WrappedCommand,
    options: SpawnOptions,
    signalGroup: (pid: number, signal: Signal) => Promise<void>,
    closed: Promise<MachineError>
  ) {
    this.#streams = streams
    this.#signalGroup = signalGroup

    this.#finder = new PidFinder(command.marker)
    this.stdin = streams.stdin
    this.stdout = streams.stdout
    this.stderr = stripPidLine(streams.stderr, this.#finder)
    if (command.preamble.length) this.stdin.write(command.preamble)
    this.exit = this.#watch(options.timeout, closed)
    this.exit.catch(() => {})
  }

  async kill(signal: Signal = 'SIGTERM'): Promise<void> {
    if (!this.#finder.pid) return this.#destroy()
    try {
      await this.#signalGroup(this.#finder.pid, signal)
    } finally {
      if (signal === 'SIGKILL') this.#killFromOutside()
    }
  }

  #watch(timeout: number | undefined, closed: Promise<MachineError>): Promise<ExitStatus> {
    return new Promise((resolve, reject) => {
      const fail = (error: MachineError) => {
        clearTimeout(timer)
        reject(error)
        this.#destroy()
      }
      let late = false
      const expire = async () => {
        late = true
        await settleWithin(this.kill('SIGKILL'), KILL_TIMEOUT_MS)
        fail(new MachineError('timeout', `The command took longer than ${timeout} ms`))
      }
      const timer = timeout ? setTimeout(() => void expire(), timeout) : undefined
      void closed.then(fail)
      this.#streams.exit.then(
        (code) => {
          clearTimeout(timer)
          if (!late) resolve({ code, signal: null })
        },
        (cause) => fail(toMachineError(cause))
      )
    })
  }

  #destroy(): void {
    const { stdin, stdout, stderr } = this.#streams
    this.#killFromOutside()
    for (const stream of [stdin, stdout, stderr]) stream.destroy()
  }

  /**
   * Kills the command through Incus, without a program in the instance: a hostile `sh` there may hide its process ID,
   * and a hostile `kill` may do nothing. Otherwise each call could leave an operation and a process on the host.
   */
  #killFromOutside(): void {
    this.#streams.kill(constants.signals.SIGKILL)
  }
}

export function toMachineError(cause: unknown): MachineError {
  if (cause instanceof MachineError) return cause
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return new MachineError('unreachable', `The machine cannot be reached${reason}`, { cause })
}
