import type { Allocation } from '#catalog/public'
import type { DateTime } from 'luxon'

const BYTES_PER_MIB = 1024 ** 2

/** Deleted instances do not count. */
export const MAX_INSTANCES_PER_ACCOUNT = 50

export const DISK_WARNING_RATIO = 0.85
/** Minimum and maximum of the default process limit. */
const MIN_PROCESSES = 512
const MAX_PROCESSES = 32_768

/** Limits that Incus enforces on a running instance. */
export type RuntimeLimits = Pick<Allocation, 'vcpu' | 'memory' | 'processes'>

/**
 * Returns the maximum number of processes: the package's own, or one per MiB of memory, but 512 to 32,768. An idle
 * instance has about 60. Without a limit, one instance could use up the host's process ids.
 */
export function maxProcesses({
  memory,
  processes,
}: Pick<Allocation, 'memory' | 'processes'>): number {
  if (processes) return processes
  return Math.min(MAX_PROCESSES, Math.max(MIN_PROCESSES, Math.round(memory / BYTES_PER_MIB)))
}

/**
 * Scheduler weight of one vCPU, in percent of the weight of a host process. It matters only while all CPUs are busy:
 * with a lower value instances wait for Berth, with a higher value Berth waits for instances (`./berth bench
 * hostile`).
 */
const CPU_PERCENT_PER_VCPU = 25

/**
 * Returns Incus's `limits.cpu.allowance`. Processes of the host have weight 100, so busy instances cannot take all CPU
 * time from Berth. The weight grows up to 4 vCPUs. Every instance can use idle CPU time.
 */
export function cpuWeightConfig({ vcpu }: Pick<Allocation, 'vcpu'>): Record<string, string> {
  return { 'limits.cpu.allowance': `${Math.min(100, CPU_PERCENT_PER_VCPU * vcpu)}%` }
}

/** Factors for CPU and memory; duration and pause in seconds (docs/product.md, "Build Mode"). */
export const BUILD_MODE_SETTINGS = { cpu: 4, memory: 2, seconds: 15 * 60, pause: 60 * 60 }

export function limitConfig(limits: RuntimeLimits): Record<string, string> {
  return {
    'limits.cpu': String(limits.vcpu),
    'limits.memory': `${limits.memory}B`,
    'limits.processes': String(maxProcesses(limits)),
  }
}

export interface RunningBoost {
  to: RuntimeLimits
  until: Date
}

/**
 * Returns null if no boost is running.
 * @param limits the normal limits, without a boost
 */
export function findRunningBoost(
  boostedUntil: DateTime | null,
  limits: RuntimeLimits,
  host: { cpuTotal: number; memoryTotal: number }
): RunningBoost | null {
  if (!boostedUntil || boostedUntil.toMillis() <= Date.now()) return null
  return { to: boostedLimits(limits, host), until: boostedUntil.toJSDate() }
}

/**
 * Returns the limits of a boost: up to 4x CPU and 2x memory, but not more than the host's CPUs and half of its memory,
 * and never less than the normal limits.
 */
export function boostedLimits(
  allocation: RuntimeLimits,
  host: { cpuTotal: number; memoryTotal: number }
): RuntimeLimits {
  const capped = (wanted: number, there: number) => (there > 0 ? Math.min(wanted, there) : wanted)
  return {
    ...allocation,
    vcpu: Math.max(
      allocation.vcpu,
      capped(allocation.vcpu * BUILD_MODE_SETTINGS.cpu, host.cpuTotal)
    ),
    memory: Math.max(
      allocation.memory,
      capped(allocation.memory * BUILD_MODE_SETTINGS.memory, Math.floor(host.memoryTotal / 2))
    ),
  }
}
