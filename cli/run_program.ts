import { addAbortListener } from 'node:events'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { installRoot } from './paths.js'

export interface RunProgramOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  show?: boolean
  hear?: (chunk: Buffer) => void
  /**
   * When this signal is aborted, the program and its child processes get SIGTERM, and SIGKILL 5 seconds later. A
   * program with such a signal has a separate process group, so Ctrl-C does not reach it directly. If this process
   * dies, the kernel sends SIGTERM to the program (needs setpriv).
   */
  signal?: AbortSignal
}

export interface RunProgramResult {
  code: number
  output: string
}

/** Approximate maximum of the kept output. The beginning of longer output is discarded. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

const KILL_AFTER_MS = 5_000

let areProgramsDetached = false

/**
 * Protects programs that are started from now on from Ctrl-C and the loss of the terminal, so that they do not end
 * before this process.
 * @returns a function that ends the protection for later programs
 */
export function detachPrograms(): () => void {
  areProgramsDetached = true
  return () => {
    areProgramsDetached = false
  }
}

/**
 * Resolves for any exit code. The code is 1 if a signal ended the program. If the program cannot be started, the code
 * is 127 and `output` is the error message. Otherwise `output` is empty if `show` or `hear` is set.
 */
export function runProgram(
  argv: string[],
  options: RunProgramOptions = {}
): Promise<RunProgramResult> {
  return new Promise((done) => {
    const { signal } = options
    const [program, ...rest] = signal ? withParentDeathSignal(argv, 'TERM') : argv
    const child = spawn(program, rest, {
      cwd: options.cwd ?? installRoot,
      env: options.env ?? process.env,
      detached: Boolean(signal) || areProgramsDetached,
      stdio: ['ignore', options.show ? 'inherit' : 'pipe', options.show ? 'inherit' : 'pipe'],
    })
    const chunks: Buffer[] = []
    let size = 0
    const keep = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      while (size - chunks[0].length >= MAX_OUTPUT_BYTES) size -= chunks.shift()!.length
    }
    child.stdout?.on('data', options.hear ?? keep)
    child.stderr?.on('data', options.hear ?? keep)
    if (signal) endWith(signal, child)
    child.once('error', (error) => done({ code: 127, output: error.message }))
    child.once('close', (code, signal) =>
      done({ code: code ?? (signal ? 1 : 0), output: Buffer.concat(chunks).toString('utf8') })
    )
  })
}

/**
 * When the program exits, kills the rest of its process group. Otherwise a remaining child process could keep the
 * output open forever.
 */
function endWith(signal: AbortSignal, child: ChildProcess): void {
  const end = () => {
    signalProcessGroup(child, 'SIGTERM')
    setTimeout(() => signalProcessGroup(child, 'SIGKILL'), KILL_AFTER_MS).unref()
  }
  const watching = addAbortListener(signal, end)
  child.once('exit', () => {
    watching[Symbol.dispose]()
    signalProcessGroup(child, 'SIGKILL')
  })
}

export function signalProcessGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (!pid) return
  try {
    process.kill(-pid, signal)
  } catch {}
}

/** @throws Error with the end of the output, if the exit code is not 0 */
export async function runOrThrow(argv: string[], options: RunProgramOptions = {}): Promise<string> {
  const { code, output } = await runProgram(argv, options)
  if (code !== 0) {
    const end = output.trim().split('\n').slice(-40).join('\n')
    throw new Error(`${argv.slice(0, 3).join(' ')} ended with code ${code}\n${end}`)
  }
  return output
}

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))

/** User as which a program runs, with the program's privileges. The program cannot gain others. */
export interface ProcessUser {
  uid: number
  gid: number
  groups?: number[]
  /** All capabilities that the program has, such as `net_bind_service`. */
  capabilities?: string[]
  /** Arguments to put before the command (`mountNamespacePrefix`). */
  prefix?: string[]
}

/**
 * Returns a command to which the kernel sends a signal when this process dies, even by kill -9. If setpriv (util-linux)
 * is missing, returns the command unchanged. With `as`, the program runs as another user and only with the named
 * privileges. That requires root.
 * @throws Error if the command needs another user and setpriv is missing
 */
export function withParentDeathSignal(
  argv: string[],
  signal: 'TERM' | 'INT',
  as?: ProcessUser
): string[] {
  if (!setpriv) {
    if (as) throw new Error('setpriv (util-linux) is needed to run programs as users of their own')
    return argv
  }
  return [...(as?.prefix ?? []), setpriv, ...identity(as), `--pdeathsig=${signal}`, '--', ...argv]
}

function identity(as: ProcessUser | undefined): string[] {
  if (!as) return []
  const only = ['-all', ...(as.capabilities ?? []).map((name) => `+${name}`)].join(',')
  return [
    `--reuid=${as.uid}`,
    `--regid=${as.gid}`,
    as.groups?.length ? `--groups=${as.groups.join(',')}` : '--clear-groups',
    `--inh-caps=${only}`,
    `--ambient-caps=${only}`,
    `--bounding-set=${only}`,
    '--no-new-privs',
  ]
}
