import { randomBytes } from 'node:crypto'
import { Transform, type Readable } from 'node:stream'
import { assertArguments } from './shell_quote.js'
import type { ShellOptions, SpawnOptions } from './types.js'
import { readScript } from './read_script.js'

const LAUNCH_SCRIPT = readScript(import.meta, 'launch.sh')

const ENTER_FOLDER_SCRIPT = readScript(import.meta, 'enter_folder.sh')
const LOGIN_SHELL_SCRIPT = readScript(import.meta, 'login_shell.sh')

/** Extra seconds until the machine itself kills the command, in case this process cannot do it. */
const REMOTE_GRACE_SECONDS = 5

export interface WrappedCommand {
  argv: string[]
  /** Bytes that must be written to standard input first, before the caller's input. */
  preamble: Buffer
  marker: string
}

/**
 * Wraps a command in `launch.sh`, which applies the folder, the variables and the timeout, and prints the process ID.
 * @param sudo whether the connection needs sudo to become root
 * @throws TypeError for invalid arguments, variables or folder names
 */
export function wrapCommand(
  argv: readonly string[],
  options: SpawnOptions,
  sudo: boolean
): WrappedCommand {
  assertArguments(argv)
  const marker = `berth-${randomBytes(9).toString('hex')}`
  const variables = Object.entries(options.env ?? {})
  const seconds = options.timeout ? String(options.timeout / 1000 + REMOTE_GRACE_SECONDS) : '0'
  const launched = ['sh', '-c', LAUNCH_SCRIPT, 'sh', marker]
  launched.push(folder(options.cwd), seconds, variables.length ? 'env' : '', ...argv)
  return {
    argv: options.user === 'root' && sudo ? ['sudo', '-n', '--', ...launched] : launched,
    preamble: encodeVariables(variables),
    marker,
  }
}

export function loginShellArgv(fallback = '/bin/sh'): string[] {
  return ['sh', '-c', LOGIN_SHELL_SCRIPT, 'sh', fallback]
}

/** Returns null if the connection's plain login shell is enough. */
export function interactiveShellArgv(options: ShellOptions, sudo: boolean): string[] | null {
  const asRoot = options.user === 'root' && sudo
  const variables = Object.entries(options.env ?? {})
  if (!options.argv && !asRoot && !options.cwd && variables.length === 0) return null
  variables.forEach(([name, value]) => assertVariable(name, value))
  let argv = options.argv ?? loginShellArgv()
  assertArguments(argv)
  if (variables.length) argv = ['env', '--', ...variables.map(([n, v]) => `${n}=${v}`), ...argv]
  if (options.cwd) argv = ['sh', '-c', ENTER_FOLDER_SCRIPT, 'sh', folder(options.cwd), ...argv]
  // `-H` sets `HOME` to root's home directory instead of the user's.
  return asRoot ? ['sudo', '-n', '-H', '--', ...argv] : [...argv]
}

function folder(cwd: string | undefined): string {
  if (!cwd) return ''
  if (cwd.includes('\0')) throw new TypeError('A folder cannot contain a NUL byte')
  return cwd.startsWith('/') ? cwd : `./${cwd}`
}

function assertVariable(name: string, value: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw new TypeError(`${JSON.stringify(name)} cannot be the name of an environment variable`)
  }
  if (value.includes('\0')) throw new TypeError(`The variable ${name} contains a NUL byte`)
}

/** Encodes each variable as one line. Backslashes and line feeds become octal escapes. An empty line marks the end. */
function encodeVariables(variables: [string, string][]): Buffer {
  if (variables.length === 0) return Buffer.alloc(0)
  const lines = variables.map(([name, value]) => {
    assertVariable(name, value)
    return `${name}=${value.replaceAll('\\', '\\0134').replaceAll('\n', '\\012')}\n`
  })
  return Buffer.from(`${lines.join('')}\n`)
}

/**
 * Maximum bytes that may precede the marker, such as output of a shell profile. After that, the search for the marker
 * stops.
 */
const MAX_NOISE_BYTES = 64 * 1024

export class PidFinder {
  pid: number | null = null
  #held: Buffer | null = Buffer.alloc(0)

  readonly #marker: string

  constructor(marker: string) {
    this.#marker = marker
  }

  /**
   * Returns the output without the line that contains the marker and the process ID. Holds output back until that line
   * has arrived, up to `MAX_NOISE_BYTES`.
   */
  push(chunk: Buffer): Buffer {
    if (this.#held === null) return chunk
    const all = Buffer.concat([this.#held, chunk])
    const start = all.indexOf(this.#marker)
    const end = start === -1 ? -1 : all.indexOf('\n', start)
    if (end !== -1) {
      this.pid = Number(all.subarray(start + this.#marker.length, end).toString())
      this.#held = null
      return Buffer.concat([all.subarray(0, start), all.subarray(end + 1)])
    }
    if (all.length > MAX_NOISE_BYTES) {
      this.#held = null
      return all
    }
    this.#held = all
    return Buffer.alloc(0)
  }

  /** Returns the bytes that `push` has held back. Call it at the end of the stream. */
  flush(): Buffer {
    const rest = this.#held ?? Buffer.alloc(0)
    this.#held = null
    return rest
  }
}

export function stripPidLine(stderr: Readable, finder: PidFinder): Readable {
  const own = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, finder.push(chunk)),
    flush: (done) => done(null, finder.flush()),
  })
  own.on('error', () => {})
  stderr.once('error', (error) => own.destroy(error))
  return stderr.pipe(own)
}
