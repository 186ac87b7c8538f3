import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { homedir, userInfo } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { interactiveShellArgv, loginShellArgv } from '../command.js'
import { MachineError } from '../errors.js'
import { forEachLine } from '../line_splitter.js'
import { quoteForShell } from '../shell_quote.js'
import type { ExitStatus, Shell, ShellEvents, ShellOptions } from '../types.js'
import { readScript } from '../read_script.js'

const START_SHELL_SCRIPT = readScript(import.meta, 'start_shell.sh')

/**
 * Opens a shell on this machine in a pseudo-terminal, with the program `script` (util-linux). The shell inherits only
 * `HOME` and `LANG` of this process's environment variables. `user: 'root'` needs sudo unless this process runs as
 * root.
 * @throws MachineError
 */
export async function openLocalShell(options: ShellOptions): Promise<Shell> {
  const { username, shell } = userInfo()
  const needsSudo = process.getuid?.() !== 0
  const command = interactiveShellArgv(options, needsSudo) ?? loginShellArgv()
  const { cols, rows } = options
  const inner = quoteForShell([
    'sh',
    '-c',
    START_SHELL_SCRIPT,
    'sh',
    String(cols),
    String(rows),
    shell ?? '/bin/sh',
    ...command,
  ])
  const child = spawn('script', ['-q', '-e', '-f', '-E', 'always', '-c', inner, '/dev/null'], {
    cwd: options.cwd ?? homedir(),
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    env: {
      HOME: homedir(),
      LANG: process.env.LANG ?? 'C.UTF-8',
      LOGNAME: username,
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      // `script` uses this shell to run its command, which then starts the user's login shell.
      SHELL: '/bin/sh',
      TERM: options.term ?? 'xterm-256color',
      USER: username,
    },
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (cause) =>
      reject(new MachineError('unreachable', 'This machine offers no terminal', { cause }))
    )
  })
  return new LocalShell(child)
}

class LocalShell extends EventEmitter<ShellEvents> implements Shell {
  readonly exit: Promise<ExitStatus>
  readonly #stdin: Writable
  readonly #stdout: Readable
  readonly #terminal: Promise<string>
  #ended = false
  #unsent = new Set<() => void>()

  readonly #child: ChildProcess

  constructor(child: ChildProcess) {
    super()
    this.#child = child

    this.exit = new Promise((resolve) => this.once('close', (status) => resolve(status)))
    const stdin = child.stdio[0]!
    const [, stdout, stderr, name] = child.stdio as Readable[]
    this.#stdin = stdin
    this.#stdout = stdout
    this.#terminal = lineOf(name)
    for (const stream of [stdin, stdout, stderr, name]) stream.on('error', () => {})
    stdout.on('data', this.#onData)
    stderr.on('data', this.#onData)
    child.on('error', () => {})
    child.on('close', (code, signal) => this.#finish({ code, signal }))
  }

  write(data: Buffer | string): Promise<void> {
    if (this.#ended) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.#unsent.delete(done)
        resolve()
      }
      this.#unsent.add(done)
      this.#stdin.write(data, done)
    })
  }

  resize(cols: number, rows: number): void {
    void this.#terminal.then((name) => {
      if (this.#ended || !name.startsWith('/dev/')) return
      execFile('stty', ['-F', name, 'cols', String(cols), 'rows', String(rows)], () => {})
    })
  }

  pause(): void {
    this.#stdout.pause()
  }

  resume(): void {
    this.#stdout.resume()
  }

  setWindow(): void {}

  /** Closes the terminal by killing `script`. The kernel then sends SIGHUP to the programs in it. */
  close(): void {
    if (this.#ended) return
    this.#stdout.off('data', this.#onData)
    this.#stdout.resume()
    this.#child.kill('SIGKILL')
    this.#finish({ code: null, signal: null })
  }

  #onData = (chunk: Buffer) => this.emit('data', chunk)

  #finish(status: ExitStatus): void {
    if (this.#ended) return
    this.#ended = true
    for (const done of [...this.#unsent]) done()
    this.emit('close', status)
  }
}

/** Returns the first line of a stream, without waiting for the stream's end. */
function lineOf(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    void forEachLine(stream, resolve, { maxLineLength: 4_096 }).then(() => resolve(''))
  })
}
