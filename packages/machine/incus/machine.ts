import { constants } from 'node:os'
import { wrapCommand, interactiveShellArgv, loginShellArgv } from '../command.js'
import { MachineError } from '../errors.js'
import { runToEnd } from '../run_to_end.js'
import type {
  ExecOptions,
  ExecResult,
  Machine,
  RemoteProcess,
  Shell,
  ShellOptions,
  SpawnOptions,
} from '../types.js'
import { IncusProcess, toMachineError } from './process.js'
import { IncusShell } from './interactive_shell.js'
import type { IncusInstances } from './types.js'

const SIGNAL_TIMEOUT_MS = 3_000

/**
 * An instance whose commands run through Incus, always as root. Used for shared instances, and for others when they do
 * not respond over SSH.
 */
export class IncusMachine implements Machine {
  #shells = new Set<IncusShell>()
  #ended = false
  #end!: (error: MachineError) => void
  readonly #closed = new Promise<MachineError>((resolve) => (this.#end = resolve))

  readonly #instances: IncusInstances
  readonly #instance: string

  constructor(instances: IncusInstances, instance: string) {
    this.#instances = instances
    this.#instance = instance
  }

  async exec(argv: string[], options: ExecOptions = {}): Promise<ExecResult> {
    return runToEnd(await this.spawn(argv, options), options)
  }

  async spawn(argv: string[], options: SpawnOptions = {}): Promise<RemoteProcess> {
    const command = wrapCommand(argv, options, false)
    const streams = await this.#callIncus(() =>
      this.#instances.execStreams(this.#instance, command.argv)
    )
    const signal = (pid: number, name: string) => this.#signalGroup(pid, name)
    return new IncusProcess(streams, command, options, signal, this.#closed)
  }

  async shell(options: ShellOptions): Promise<Shell> {
    const argv = interactiveShellArgv(options, false) ?? loginShellArgv('/bin/bash')
    const env = { TERM: options.term ?? 'xterm-256color', HOME: '/root', LANG: 'C.UTF-8' }
    const { cols, rows } = options
    const terminal = await this.#callIncus(() =>
      this.#instances.shell(this.#instance, argv, { cols, rows, env })
    )
    const shell = new IncusShell(terminal)
    this.#shells.add(shell)
    void shell.exit.then(() => this.#shells.delete(shell))
    return shell
  }

  async close(): Promise<void> {
    if (this.#ended) return
    this.#ended = true
    this.#end(this.#closedError())
    for (const shell of [...this.#shells]) shell.close()
  }

  #closedError(): MachineError {
    return new MachineError('closed', `The connection to ${this.#instance} is closed`)
  }

  async #callIncus<T>(call: () => Promise<T>): Promise<T> {
    if (this.#ended) throw this.#closedError()
    try {
      return await call()
    } catch (error) {
      throw toMachineError(error)
    }
  }

  async #signalGroup(pid: number, signal: string): Promise<void> {
    const argv = ['kill', '-s', signal.slice(3), '--', `-${pid}`]
    const { stdin, stdout, stderr, exit, kill } = await this.#callIncus(() =>
      this.#instances.execStreams(this.#instance, argv)
    )
    stdin.end()
    stdout.resume()
    stderr.resume()
    // Kills the command if it does not exit: a customer may have replaced `kill` in the instance by a program that
    // never ends.
    const timer = setTimeout(() => kill(constants.signals.SIGKILL), SIGNAL_TIMEOUT_MS)
    await exit.finally(() => clearTimeout(timer))
  }
}
