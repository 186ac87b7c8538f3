import { createHash } from 'node:crypto'
import type { SshTarget } from './ssh/connection.js'
import { SshMachine } from './ssh/machine.js'

/**
 * Connections to machines, shared by all callers. `get` does not connect: the first command or shell opens a
 * connection. A connection closes after `idle` milliseconds without use. Callers must not call `close` on machines of a
 * pool.
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

/** Returns a key that includes the credentials, so that new credentials open a new connection. */
function keyOf({ host, port, username, privateKey, hostKey }: SshTarget): string {
  const parts = JSON.stringify([host, port ?? 22, username, privateKey, hostKey])
  return createHash('sha256').update(parts).digest('base64')
}
