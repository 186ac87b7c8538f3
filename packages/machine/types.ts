import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** How one command runs. Durations are milliseconds, sizes are bytes. */
export interface ExecOptions {
  /** Absolute, or relative to the home directory of the signed-in user. */
  cwd?: string
  /** Handed over on standard input, so values never show in a process list. */
  env?: Record<string, string>
  stdin?: string | Buffer | Readable
  /** After this the process and everything it started is killed. None by default. */
  timeout?: number
  /** Together for stdout and stderr; 16 MiB by default. */
  maxOutput?: number
  /** Runs through `sudo -n --` unless the connection is root's already. */
  user?: 'root'
}

export type SpawnOptions = Omit<ExecOptions, 'stdin' | 'maxOutput'>

export interface ExitStatus {
  /** Null when a signal ended the process. */
  code: number | null
  /** Without the prefix: `SIGTERM` is reported as `SIGTERM`. */
  signal: string | null
}

export interface ExecResult extends ExitStatus {
  stdout: Buffer
  stderr: Buffer
}

/** A running command. A stream that nobody reads holds the process back. */
export interface RemoteProcess {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Rejects with a MachineError when the connection is lost or the time is up. */
  exit: Promise<ExitStatus>
  /** Signals the process and everything it started; settles when the signal is sent. */
  kill(signal?: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): Promise<void>
}

export interface ShellOptions {
  cols: number
  rows: number
  /** The login shell by default. */
  argv?: string[]
  /** `xterm-256color` by default. */
  term?: string
  cwd?: string
  /** Not for secrets: these are visible in the process list. */
  env?: Record<string, string>
  user?: 'root'
}

export interface ShellEvents {
  data: [chunk: Buffer]
  /** Emitted exactly once. The error is present when the machine was lost. */
  close: [status: ExitStatus, error?: Error]
}

/**
 * An interactive terminal on a machine. While paused, output stays on the machine: at most
 * `window` bytes are held here.
 */
export interface Shell extends EventEmitter<ShellEvents> {
  /** Settles when the bytes have been handed to the connection. */
  write(data: Buffer | string): Promise<void>
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
  /**
   * How many bytes of output may be on their way at most; smaller values make an interrupt
   * show sooner on slow lines. Ignored where the transport has no such setting.
   */
  setWindow(bytes: number): void
  /** Hangs up: the shell and what it runs get SIGHUP. Safe to call twice. */
  close(): void
  readonly exit: Promise<ExitStatus>
}

/**
 * A Linux machine. A command that ends with a non-zero code is a result, not an exception;
 * exceptions are MachineErrors.
 */
export interface Machine {
  exec(argv: string[], options?: ExecOptions): Promise<ExecResult>
  spawn(argv: string[], options?: SpawnOptions): Promise<RemoteProcess>
  shell(options: ShellOptions): Promise<Shell>
  /** Ends what is running on it; later calls fail with `closed`. */
  close(): Promise<void>
}
