import type { Duplex, Readable, Writable } from 'node:stream'

/** Parts of an Incus client that this package uses. `packages/incus` implements them. */
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
  /** 128 + n if signal n ended the program. Rejects if the connection to Incus is lost. */
  exit: Promise<number>
  /** Sends a signal by number through Incus, without running a program in the instance. */
  kill(signal: number): void
}

export interface IncusTerminal {
  stream: Duplex
  exit: Promise<number>
  resize(cols: number, rows: number): void
  close(): void
}
