import type { ProcessSpec } from '../supervisor.js'

export interface ManagedProcess {
  id: string
  name: string
  /** Working directory of the process: `build/` of its release. */
  folder: string
  /** Process ID. Undefined while the process does not run. */
  pid?: number
  deaths: number
  leaving: boolean
}

/**
 * The program that keeps the processes of the roles running: `./berth up` or systemd. All methods may be called again
 * with the same arguments.
 */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Starts one more process of the role. Its other processes keep running. Returns the ID of the new process. */
  start(role: ProcessSpec): Promise<string>
  /**
   * Asks a process to finish its work and exit. The process is not restarted after that. Does not wait until it has
   * exited.
   */
  leave(id: string): Promise<void>
  /** Stops a process, and removes it from the list of processes. */
  end(id: string): Promise<void>
  words(id: string): Promise<string[]>
}
