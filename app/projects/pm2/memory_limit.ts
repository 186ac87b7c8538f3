import type { ServerInstance } from '#instances/public'
import { SITE_OWNER_HOME, runCommand } from '#guest/public_effects'
import { PM2_WORKER_INTERVAL_MS } from '#projects/pm2/run_pm2'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const BYTES_PER_MIB = 1024 ** 2

/**
 * Returns the memory limit of apps. The rest of the instance's memory is for the system, SSH and PM2, so that a memory
 * leak ends the app and not the instance. Null if the instance has no memory limit.
 */
export function maxAppMemoryBytes({
  memoryBytes,
}: Pick<ServerInstance, 'memoryBytes'>): number | null {
  const memory = Number(memoryBytes)
  if (!memory) return null
  const rest = Math.max(200 * BYTES_PER_MIB, memory * 0.2)
  return Math.floor(Math.max(memory / 2, memory - rest))
}

const LIMIT_MEMORY_SCRIPT = readScript(import.meta, 'limit_memory.sh')

/** Sets the limit now and after the next boot. PM2's daemon must be running. */
export async function limitMemoryOfApps(machine: Machine, bytes: number): Promise<void> {
  const argv = [
    'sh',
    '-c',
    LIMIT_MEMORY_SCRIPT,
    'berth-memory',
    String(bytes),
    PM2_WORKER_INTERVAL_MS,
    SITE_OWNER_HOME,
  ]
  await runCommand(machine, 'The memory of apps could not be limited', argv, {
    user: 'root',
    timeout: 60_000,
  })
}
