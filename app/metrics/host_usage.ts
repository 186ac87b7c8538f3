import type { HostInstance } from '#hosts/public'
import { watchdogContainerName } from '#hosts/public_effects'
import type { Incus } from '#packages/incus/main'

/** Unknown values are null. */
export interface HostUsage {
  /** Load average over one minute. */
  load: number | null
  /** Bytes that programs use, without caches. */
  memoryUsed: number | null
  memoryTotal: number | null
}

export type HostUsageIncusClient = {
  cluster: Pick<Incus['cluster'], 'memberState'>
  instances: Pick<Incus['instances'], 'exec'>
}

const WATCHDOG_TIMEOUT_SECONDS = 10

/**
 * Reads the used memory from /proc/meminfo in the host's watchdog container. Incus does not suffice:
 * it reads `resources` only when it starts, and its member state counts caches as used memory.
 */
export async function loadHostUsage(
  { systemId }: Pick<HostInstance, 'systemId'>,
  incus: HostUsageIncusClient
): Promise<HostUsage> {
  const [state, memory] = await Promise.all([
    incus.cluster.memberState(systemId ?? 'none').catch(() => null),
    memoryInfo(incus).catch(() => null),
  ])
  const total = state?.sysinfo.total_ram ?? null
  // Ignores /proc/meminfo if it shows the watchdog container's own memory limit instead of the host's
  // memory.
  const ofHost = memory && total && memory.total > total * 0.9 ? memory : null
  return {
    load: state?.sysinfo.load_averages[0] ?? null,
    memoryUsed: ofHost && ofHost.total - ofHost.available,
    memoryTotal: total,
  }
}

async function memoryInfo(
  incus: HostUsageIncusClient
): Promise<{ total: number; available: number } | null> {
  const argv = ['cat', '/proc/meminfo']
  const { exitCode, stdout } = await incus.instances.exec(await watchdogContainerName(), argv, {
    timeout: WATCHDOG_TIMEOUT_SECONDS,
  })
  if (exitCode !== 0) return null
  const bytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(stdout.toString())?.[1]) * 1024
  const [total, available] = [bytes('MemTotal'), bytes('MemAvailable')]
  return total && available ? { total, available } : null
}
