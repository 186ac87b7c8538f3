import type { Duplex, Readable, Writable } from 'node:stream'

/** The part of an Incus client's interface that this package needs. `packages/incus` implements it. */
export interface IncusInstances {
  execStreams(instance: string, argv: string[]): Promise<IncusProcessStreams>
  shell(
    instance: string,
    argv: string[],
    options: { cols: number; rows: number; env?: Record<string, string> }
  ): Promise<IncusTerminal>
}

export interface IncusProcessStreams {
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /**
   * Resolves to the exit code, or to 128 + n if signal n ended the program. Rejects if the program could not start, or
   * Incus no longer knows its operation.
   */
  exit: Promise<number>
  /** Sends the signal with this number through Incus, without running a program in the instance. */
  kill(signal: number): void
}

export interface IncusTerminal {
  stream: Duplex
  exit: Promise<number>
  resize(cols: number, rows: number): void
  close(): void
}
