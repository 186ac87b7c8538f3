import { type HostInstance, watchdogContainerName } from '#hosts/public'
import type { Incus } from '#packages/incus/main'

/** How a host is doing at this moment; null is what nobody there can tell. */
export interface HostUse {
  /** Processes that run or wait, on average over a minute. */
  load: number | null
  /** Bytes that programs hold, caches not counted. */
  memoryUsed: number | null
  memoryTotal: number | null
}

/** The part of a host's Incus that it needs. */
export type IncusForHostUse = {
  cluster: Pick<Incus['cluster'], 'memberState'>
  instances: Pick<Incus['instances'], 'exec'>
}

/** Seconds for a watchdog to answer. */
const WATCHDOG_TIMEOUT_SECONDS = 10

/**
 * Asks what moves: Incus reads its `resources` once, at its start, so neither load nor memory are
 * taken from there. It tells the load of a member anew each time, but counts caches as used memory;
 * the kernel's own figure is in reach of the host's watchdog.
 */
export async function loadHostUse(
  { systemId }: Pick<HostInstance, 'systemId'>,
  incus: IncusForHostUse
): Promise<HostUse> {
  const [state, memory] = await Promise.all([
    incus.cluster.memberState(systemId ?? 'none').catch(() => null),
    memoryInfo(incus).catch(() => null),
  ])
  const total = state?.sysinfo.total_ram ?? null
  // A watchdog that sees its own limit tells nothing of its host.
  const ofHost = memory && total && memory.total > total * 0.9 ? memory : null
  return {
    load: state?.sysinfo.load_averages[0] ?? null,
    memoryUsed: ofHost && ofHost.total - ofHost.available,
    memoryTotal: total,
  }
}

async function memoryInfo(
  incus: IncusForHostUse
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
