import type { ProcessSpec } from '../supervisor.js'

export interface ManagedProcess {
  id: string
  name: string
  /** Working directory of the process: `build/` of its release. */
  folder: string
  /** Undefined while it does not run. */
  pid?: number
  deaths: number
  leaving: boolean
}

/** Keeps the processes of the roles running: `./berth up` or systemd. All methods are idempotent. */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Starts one more process of the role, while its others keep running. Returns the new process's id. */
  start(role: ProcessSpec): Promise<string>
  /** Asks a process to finish its work and exit. It is not restarted then. Does not wait for the exit. */
  leave(id: string): Promise<void>
  /** Stops a process and removes it from the list. */
  end(id: string): Promise<void>
  words(id: string): Promise<string[]>
}
