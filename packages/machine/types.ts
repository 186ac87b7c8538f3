import type { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'

/** Durations are milliseconds, sizes are bytes. */
export interface ExecOptions {
  /** Absolute, or relative to the user's home directory. */
  cwd?: string
  /** Passed over standard input, so that values never appear in the process list. */
  env?: Record<string, string>
  stdin?: string | Buffer | Readable
  /** After this time the process and everything it started are killed. Default: no limit. */
  timeout?: number
  /** Bytes of stdout and stderr together. Default 16 MiB. */
  maxOutput?: number
  /** Runs the command through `sudo -n --`, unless the connection already has root. */
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

/** A process that blocks while its output streams are not read. */
export interface RemoteProcess {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** Rejects with a MachineError if the connection is lost or the timeout has passed. */
  exit: Promise<ExitStatus>
  /** Signals the process and everything it started. Resolves once the signal is sent. */
  kill(signal?: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): Promise<void>
}

export interface ShellOptions {
  cols: number
  rows: number
  /** Default: the login shell. */
  argv?: string[]
  /** Default `xterm-256color`. */
  term?: string
  cwd?: string
  /** Not for secrets: these are visible in the process list. */
  env?: Record<string, string>
  user?: 'root'
}

export interface ShellEvents {
  data: [chunk: Buffer]
  /** Emitted once. The error is set if the connection to the machine was lost. */
  close: [status: ExitStatus, error?: Error]
}

/**
 * An interactive terminal on a machine. While paused, output stays on the machine. This process buffers at
 * most `window` bytes.
 */
export interface Shell extends EventEmitter<ShellEvents> {
  /** Resolves when the bytes have been handed to the connection. */
  write(data: Buffer | string): Promise<void>
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
  /**
   * Limits the output bytes in transit, if the transport can. A smaller value lets Ctrl-C take effect sooner on
   * slow connections.
   */
  setWindow(bytes: number): void
  /** Hangs up: the shell and its programs get SIGHUP. Safe to call twice. */
  close(): void
  readonly exit: Promise<ExitStatus>
}

/**
 * A Linux machine. A command that exits with a non-zero code is a result, not an exception. All exceptions are
 * MachineErrors.
 */
export interface Machine {
  exec(argv: string[], options?: ExecOptions): Promise<ExecResult>
  spawn(argv: string[], options?: SpawnOptions): Promise<RemoteProcess>
  shell(options: ShellOptions): Promise<Shell>
  /** Ends all programs that run over this connection. Later calls fail with `closed`. */
  close(): Promise<void>
}
