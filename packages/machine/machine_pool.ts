import { createHash } from 'node:crypto'
import type { SshTarget } from './ssh/connection.js'
import { SshMachine } from './ssh/machine.js'

/**
 * One SshMachine per target, so that everybody shares its connections. Asking is free: a
 * connection is made by the first call that needs one and ends after `idle` ms without work.
 * Machines from a pool are not closed by their users.
 */
export class MachinePool {
  #machines = new Map<string, SshMachine>()

  readonly #idle: number

  constructor(idle = 60_000) {
    this.#idle = idle
  }

  get(target: SshTarget): SshMachine {
    const key = keyOf(target)
    const known = this.#machines.get(key)
    if (known) return known
    const machine = new SshMachine(target, this.#idle)
    this.#machines.set(key, machine)
    return machine
  }

  /** Ends the connections to a target, for instance when it is deleted. */
  async forget(target: SshTarget): Promise<void> {
    const key = keyOf(target)
    const machine = this.#machines.get(key)
    this.#machines.delete(key)
    await machine?.close()
  }

  async close(): Promise<void> {
    const machines = [...this.#machines.values()]
    this.#machines.clear()
    await Promise.all(machines.map((machine) => machine.close()))
  }
}

/** A changed key is another target: nobody works on with the old one. */
function keyOf({ host, port, username, privateKey, hostKey }: SshTarget): string {
  const parts = JSON.stringify([host, port ?? 22, username, privateKey, hostKey])
  return createHash('sha256').update(parts).digest('base64')
}
