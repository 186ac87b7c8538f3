import { addAbortListener } from 'node:events'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { installRoot } from './paths.js'

export interface RunProgramOptions {
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** Show the output as it comes instead of keeping it. */
  show?: boolean
  /** Is given the output as it comes; then it is not kept. */
  hear?: (chunk: Buffer) => void
  /** Ends the program with all that it started. Ctrl-C reaches us alone then, and it dies with us. */
  signal?: AbortSignal
}

export interface RunProgramResult {
  code: number
  output: string
}

/** The end of the output that is kept, in bytes. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/** Milliseconds that a program has to end before it is killed. */
const KILL_AFTER_MS = 5_000

/** Runs a program to its end. Never throws for an exit code; a missing program is code 127. */
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
      detached: Boolean(signal),
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

/** Nothing of a program's group outlives it; what is left could keep its output open for ever. */
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

/** Signals a program with a process group of its own, and everything it started that stayed in it. */
export function signalProcessGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (!pid) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of the group is left.
  }
}

/** Runs a program that must succeed; otherwise throws with the end of its output. */
export async function runOrThrow(argv: string[], options: RunProgramOptions = {}): Promise<string> {
  const { code, output } = await runProgram(argv, options)
  if (code !== 0) {
    const end = output.trim().split('\n').slice(-40).join('\n')
    throw new Error(`${argv.slice(0, 3).join(' ')} ended with code ${code}\n${end}`)
  }
  return output
}

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))

/** Whom a program runs as. It cannot become more than that again. */
export interface ProcessUser {
  uid: number
  gid: number
  /** Groups beside its own. */
  groups?: number[]
  /** The only capabilities that it has, such as `net_bind_service`. */
  capabilities?: string[]
  /** What comes before everything else (`mountNamespacePrefix`). */
  prefix?: string[]
}

/**
 * Prefixes a command so that the kernel signals it when we die, whichever way (kill -9 included);
 * so nothing is left running. Where util-linux's setpriv is missing the command stays as it is.
 * Only root can run it as somebody else: then without any privilege that is not named.
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
