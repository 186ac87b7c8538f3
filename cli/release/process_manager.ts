import type { ProcessSpec } from '../supervisor.js'

export interface ManagedProcess {
  id: string
  name: string
  /** Folder in which the process was started: `build/` of its release. */
  folder: string
  /** Undefined while it does not run. */
  pid?: number
  deaths: number
  leaving: boolean
}

/** Keeps processes of roles running: `./berth up`, or systemd. All methods are idempotent. */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Starts another process of the role, while others keep running. Returns its id. */
  start(role: ProcessSpec): Promise<string>
  /** Asks a process to finish its work and exit, and does not restart it. Does not wait for the exit. */
  leave(id: string): Promise<void>
  /** Stops a process and removes it from the list. */
  end(id: string): Promise<void>
  words(id: string): Promise<string[]>
}
