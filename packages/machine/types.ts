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

export type FileKind = 'file' | 'directory' | 'symlink' | 'other'

export interface FileStat {
  size: number
  /** Seconds since 1970, whole. */
  mtime: number
  /** Permission bits only, for example 0o644. */
  mode: number
  uid: number
  gid: number
  kind: FileKind
}

export interface FileEntry extends FileStat {
  name: string
  /** Where a symbolic link points, as written; absent for everything else. */
  target?: string
}

/**
 * Files of a machine by path. Failures are FileErrors (`not-found`, `denied`, `exists`,
 * `no-space`, `too-large`, `unsupported`, `failed`); a lost machine is a MachineError.
 */
export interface Files {
  /** Without `.` and `..`, in the order the machine gives. */
  list(path: string): Promise<FileEntry[]>
  stat(path: string): Promise<FileStat>
  lstat(path: string): Promise<FileStat>
  realpath(path: string): Promise<string>
  readlink(path: string): Promise<string>
  /** `start` and `end` are byte offsets, both included, as in node:fs. */
  readStream(path: string, range?: { start?: number; end?: number }): Readable
  /**
   * Writes to the path itself, from empty. `finish` comes after the machine has stored all of it
   * (fsync where offered). For old-or-new semantics use `writeFile` or a temporary name + rename.
   */
  writeStream(path: string, options?: { mode?: number; flush?: boolean }): Writable
  /** Refuses with `too-large` when the file is larger than `limit` bytes (16 MiB by default). */
  readFile(path: string, options?: { limit?: number }): Promise<Buffer>
  /** Old content or new content, never half: temporary name in the same folder, fsync, rename. */
  writeFile(
    path: string,
    content: string | Buffer | Readable,
    options?: { mode?: number }
  ): Promise<void>
  mkdir(path: string, options?: { mode?: number; recursive?: boolean }): Promise<void>
  /** Replaces what is at `to`, in one step where the machine can (posix-rename). */
  rename(from: string, to: string): Promise<void>
  /** One file, symbolic link, or empty directory. */
  remove(path: string): Promise<void>
  /** Everything below as well; symbolic links are removed, never followed. Missing is fine. */
  removeTree(path: string): Promise<void>
  symlink(target: string, path: string): Promise<void>
  chmod(path: string, mode: number): Promise<void>
}

/**
 * A Linux machine. A command that ends with a non-zero code is a result, not an exception;
 * exceptions are MachineErrors.
 */
export interface Machine {
  exec(argv: string[], options?: ExecOptions): Promise<ExecResult>
  spawn(argv: string[], options?: SpawnOptions): Promise<RemoteProcess>
  shell(options: ShellOptions): Promise<Shell>
  readonly files: Files
  /** Ends what is running on it; later calls fail with `closed`. */
  close(): Promise<void>
}
