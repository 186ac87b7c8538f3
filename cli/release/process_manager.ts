import type { ProcessSpec } from '../supervisor.js'

export interface ManagedProcess {
  id: string
  /** The role's name. */
  name: string
  /** It was started here: `build/` of its release. */
  folder: string
  /** Undefined while it does not run. */
  pid?: number
  /** Unexpected exits. */
  deaths: number
  /** It was asked to exit. */
  leaving: boolean
}

/** Keeps roles running: `./berth up`, or systemd. All methods can be repeated safely. */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Starts a role next to its running processes. Returns the new process's id. */
  start(role: ProcessSpec): Promise<string>
  /** Asks a process to finish its work and exit, and does not restart it. Does not wait. */
  leave(id: string): Promise<void>
  /** Stops a process and removes it from the list. */
  end(id: string): Promise<void>
  /** The last log lines. */
  words(id: string): Promise<string[]>
}
