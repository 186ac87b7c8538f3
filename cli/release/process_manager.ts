import type { ProcessSpec } from '../supervisor.js'

/** A process of a role that a process manager keeps running. */
export interface ManagedProcess {
  id: string
  /** The role's name. */
  name: string
  /** The folder that it was started in: `build/` of its release. */
  folder: string
  /** Undefined while it does not run. */
  pid?: number
  /** The number of unexpected exits. */
  deaths: number
  /** It was asked to exit. */
  leaving: boolean
}

/** Keeps roles running on this machine: `./berth up`, or systemd. All its methods can be repeated safely. */
export interface ProcessManager {
  list(): Promise<ManagedProcess[]>
  /** Starts a role next to its running processes. Returns the new process's id. */
  start(role: ProcessSpec): Promise<string>
  /** Asks a process to finish its work and exit, and does not restart it. Does not wait. */
  leave(id: string): Promise<void>
  /** Stops a process and removes it from the list. */
  end(id: string): Promise<void>
  /** Returns the last log lines of a process. */
  words(id: string): Promise<string[]>
}
