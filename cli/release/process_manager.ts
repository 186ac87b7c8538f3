import type { ProcessSpec } from '../supervisor.js'

/** A process of a role that somebody keeps running. */
export interface ManagedProcess {
  id: string
  /** Of its role. */
  name: string
  /** The folder that it was started in: `build/` of its release. */
  folder: string
  /** Undefined where it does not run (any more, or again). */
  pid?: number
  /** How often it has ended without being asked to. */
  deaths: number
  /** It was asked to leave. */
  leaving: boolean
}

/** Who keeps roles running on this machine: `./berth up`, or systemd. Each of these can be asked again. */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Starts a role beside those that run; gives its id. */
  start(role: ProcessSpec): Promise<string>
  /** Asks a process to leave, and never starts it again. Does not wait. */
  leave(id: string): Promise<void>
  /** Ends a process soon and forgets it. */
  end(id: string): Promise<void>
  /** The last lines of what a process said. */
  words(id: string): Promise<string[]>
}
