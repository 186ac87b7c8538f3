import type { ProcessSpec } from '../supervisor.js'

export interface ManagedProcess {
  id: string
  name: string
  /** Folder that the process was started in: `build/` of its release. */
  folder: string
  /** Undefined while it does not run. */
  pid?: number
  deaths: number
  leaving: boolean
}

/** Keeps processes of roles running: `./berth up`, or systemd. All methods can be repeated safely. */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Starts another process of the role and leaves the others running. Returns its id. */
  start(role: ProcessSpec): Promise<string>
  /** Asks a process to finish its work and exit, and does not restart it. Does not wait. */
  leave(id: string): Promise<void>
  /** Stops a process and removes it from the list. */
  end(id: string): Promise<void>
  words(id: string): Promise<string[]>
}
