import type { ProcessSpec } from '../supervisor.js'

export interface ManagedProcess {
  id: string
  name: string
  /** Working directory: `build/` of the process's release. */
  folder: string
  /** Undefined while the process does not run. */
  pid?: number
  deaths: number
  leaving: boolean
}

/**
 * The program that keeps the processes of the roles running: `./berth up` or systemd. All methods except `start` may be
 * called again with the same arguments.
 */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Other processes of the role keep running. Returns the ID of the new process. */
  start(role: ProcessSpec): Promise<string>
  /** Asks a process to finish its work and exit. It is not restarted after that. Does not wait for the exit. */
  leave(id: string): Promise<void>
  /** Also removes the process from the list. */
  end(id: string): Promise<void>
  words(id: string): Promise<string[]>
}
