import { existsSync } from 'node:fs'
import { FakeIncus } from '../fake.ts'
import { Incus } from '../main.ts'

export interface ContractTarget {
  name: string
  /** Reason why this target cannot be tested on this machine. Null if it can be tested. */
  skip: string | null
  open(): Promise<{ incus: Incus; fake: FakeIncus | null; close(): Promise<void> }>
}

const socket = process.env.INCUS_SOCKET

const fakeTarget: ContractTarget = {
  name: 'fake',
  skip: null,
  async open() {
    const fake = await FakeIncus.start()
    const incus = Incus.local(fake.socketPath)
    const close = async () => {
      await incus.close()
      await fake.stop()
    }
    return { incus, fake, close }
  },
}

const realTarget: ContractTarget = {
  name: 'real Incus',
  skip: !socket
    ? 'needs an Incus: set INCUS_SOCKET'
    : existsSync(socket)
      ? null
      : `INCUS_SOCKET ${socket} does not exist`,
  async open() {
    const incus = Incus.local(socket!)
    return { incus, fake: null, close: () => incus.close() }
  },
}

export const contractTargets: ContractTarget[] = [fakeTarget, realTarget]

export function uniqueName(prefix: string): string {
  return `${prefix}-${crypto.randomUUID().slice(0, 8)}`
}
