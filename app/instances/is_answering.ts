import { connectToInstance } from '#instances/instance_machines'
import type ServerInstance from '#instances/models/server_instance'
import { setTimeout as sleep } from 'node:timers/promises'

const RESPONSE_TIMEOUT_MS = 5_000

export async function isAnswering(instance: ServerInstance): Promise<boolean> {
  const waiting = new AbortController()
  const { signal } = waiting
  const probe = async () => {
    const machine = await connectToInstance(instance)
    return (await machine.exec(['true'], { timeout: RESPONSE_TIMEOUT_MS })).code === 0
  }
  try {
    return await Promise.race([
      probe().catch(() => false),
      sleep(RESPONSE_TIMEOUT_MS, false, { signal }).catch(() => false),
    ])
  } finally {
    waiting.abort()
  }
}
