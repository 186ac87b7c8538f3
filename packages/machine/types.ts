import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** Options of a command. Durations are in milliseconds, sizes in bytes. */
export interface ExecOptions {
  /** Absolute path. Over SSH and Incus also a path relative to the user's home directory. */
  cwd?: string
  /**
   * Environment variables. Over SSH and Incus, Berth sends them over standard input, so that their values never appear
   * in the process list.
   */
  env?: Record<string, string>
  stdin?: string | Buffer | Readable
  /** Time after which the process and all its child processes are killed. Default: no limit. */
  timeout?: number
  /** Maximum bytes of stdout and stderr together. Default 16 MiB. */
  maxOutput?: number
  /**
   * `root` runs the command with `sudo -n --`, unless the connection already has root. `LocalMachine` runs no command
   * with sudo: without root it fails with `refused-credentials`.
   */
  user?: 'root'
}

export type SpawnOptions = Omit<ExecOptions, 'stdin' | 'maxOutput'>

export interface ExitStatus {
  /** Null if a signal ended the process. */
  code: number | null
  /** Such as `SIGTERM`. Null if no signal ended the process. */
  signal: string | null
}

export interface ExecResult extends ExitStatus {
  stdout: Buffer
  stderr: Buffer
}

/** A process on a machine. It blocks while its output streams are not read. */
export interface RemoteProcess {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /**
   * Resolves when the process has ended. Rejects with a MachineError if the connection breaks or the timeout expires.
   */
  exit: Promise<ExitStatus>
  /**
   * Sends a signal to the process and its child processes. Resolves when the signal has been sent. `SandboxMachine`
   * sends SIGKILL instead of any other signal.
   */
  kill(signal?: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): Promise<void>
}

export interface ShellOptions {
  cols: number
  rows: number
  /** Command to run. Default: the login shell. */
  argv?: string[]
  /** Terminal type. Default `xterm-256color`. */
  term?: string
  cwd?: string
  /** Environment variables. They are visible in the process list, so they must not be secrets. */
  env?: Record<string, string>
  user?: 'root'
}

export interface ShellEvents {
  data: [chunk: Buffer]
  /** Emitted exactly once. `error` is set if the connection to the machine was lost. */
  close: [status: ExitStatus, error?: Error]
}

/**
 * An interactive terminal on a machine. While it is paused, its output waits on the machine, and this process buffers
 * only a limited part of it.
 */
export interface Shell extends EventEmitter<ShellEvents> {
  /** Resolves when the connection has accepted the bytes. */
  write(data: Buffer | string): Promise<void>
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
  /**
   * Limits the number of output bytes in transit. Has no effect with a transport that does not support it. With a
   * smaller value, Ctrl-C takes effect sooner on slow connections.
   */
  setWindow(bytes: number): void
  /** Hangs up: sends SIGHUP to the shell and its programs. Repeated calls have no effect. */
  close(): void
  readonly exit: Promise<ExitStatus>
}

/**
 * A Linux machine. A non-zero exit code is a result, not an exception. Failures of the connection or the machine are
 * MachineErrors, invalid arguments are TypeErrors.
 */
export interface Machine {
  exec(argv: string[], options?: ExecOptions): Promise<ExecResult>
  spawn(argv: string[], options?: SpawnOptions): Promise<RemoteProcess>
  shell(options: ShellOptions): Promise<Shell>
  /** Ends all programs that run through this connection. Later calls fail with the error `closed`. */
  close(): Promise<void>
}
