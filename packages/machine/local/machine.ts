import { spawn } from 'node:child_process'
import { PassThrough, type Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { MachineError } from '../errors.js'
import { runToEnd } from '../run_to_end.js'
import type {
  ExecOptions,
  ExecResult,
  ExitStatus,
  Machine,
  RemoteProcess,
  Shell,
  ShellOptions,
  SpawnOptions,
} from '../types.js'
import { openLocalShell } from './interactive_shell.js'

const KILL_GRACE_MS = 2_000

/** Buffers output in memory, because Node discards output that is still unread when a process ends. */
function bufferOutput(output: Readable): Readable {
  const through = new PassThrough()
  output.pipe(through)
  output.once('error', (error) => through.destroy(error))
  through.once('close', () => output.destroy())
  return through
}

/**
 * Runs commands on this machine as the current user. They inherit only `HOME`, `LANG`, `PATH` and `TMPDIR` of this
 * process's environment variables.
 */
export class LocalMachine implements Machine {
  readonly #running = new Set<RemoteProcess>()
  #ended = false

  async exec(argv: string[], options: ExecOptions = {}): Promise<ExecResult> {
    return runToEnd(await this.spawn(argv, options), options)
  }

  async spawn(argv: string[], options: SpawnOptions = {}): Promise<RemoteProcess> {
    if (this.#ended) throw new MachineError('closed', 'The connection to this machine is closed')
    if (options.user === 'root' && process.getuid?.() !== 0) {
      throw new MachineError(
        'refused-credentials',
        'This process does not run as root on this machine'
      )
    }
    const [program, ...rest] = argv
    const { HOME, LANG = 'C.UTF-8', PATH, TMPDIR } = process.env
    const child = spawn(program, rest, {
      cwd: options.cwd ?? '/',
      env: { LANG, PATH, ...(HOME && { HOME }), ...(TMPDIR && { TMPDIR }), ...options.env },
      // The command gets a separate process group, so that a signal also reaches its child processes.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', (cause) =>
        reject(
          new MachineError('unreachable', `${program} cannot be run on this machine`, { cause })
        )
      )
    })
    const kill = async (signal: NodeJS.Signals = 'SIGTERM') => {
      try {
        process.kill(-child.pid!, signal)
      } catch {}
    }
    let late = false
    const timer = options.timeout
      ? setTimeout(() => {
          late = true
          void kill()
            .then(() => sleep(KILL_GRACE_MS, undefined, { ref: false }))
            .then(() => kill('SIGKILL'))
        }, options.timeout)
      : null
    const exit = new Promise<ExitStatus>((resolve, reject) => {
      child.on('error', () => {})
      child.once('close', (code, signal) => {
        if (timer) clearTimeout(timer)
        if (late) reject(new MachineError('timeout', `${program} took too long`))
        else resolve({ code, signal })
      })
    })
    exit.catch(() => {})
    const { stdin } = child
    const running = {
      stdin,
      stdout: bufferOutput(child.stdout),
      stderr: bufferOutput(child.stderr),
      exit,
      kill,
    }
    this.#running.add(running)
    const forget = () => void this.#running.delete(running)
    exit.then(forget, forget)
    return running
  }

  shell(options: ShellOptions): Promise<Shell> {
    return openLocalShell(options)
  }

  async close(): Promise<void> {
    this.#ended = true
    await Promise.all([...this.#running].map(({ kill }) => kill('SIGKILL')))
  }
}
