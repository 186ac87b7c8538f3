import type { Duplex, Readable, Writable } from 'node:stream'

/** What this package needs of an Incus client; `packages/incus` has exactly these. */
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
  /** Exit code; 128 + n when signal n ended it. Rejects when Incus is lost. */
  exit: Promise<number>
  /** Sends a signal by number through Incus, without a program of the instance. */
  kill(signal: number): void
}

export interface IncusTerminal {
  stream: Duplex
  exit: Promise<number>
  resize(cols: number, rows: number): void
  close(): void
}
