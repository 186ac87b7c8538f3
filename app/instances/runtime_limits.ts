import type { Allocation } from '#catalog/public'
import type { DateTime } from 'luxon'

const BYTES_PER_MIB = 1024 ** 2

/** Instances that one customer can have at most, deleted ones not counted. */
export const MAX_INSTANCES_PER_ACCOUNT = 50

/** From this share on people are warned that a disk fills. */
export const DISK_WARNING_RATIO = 0.85
/** Processes and threads of the smallest and of the largest instance whose package names no number. */
const MIN_PROCESSES = 512
const MAX_PROCESSES = 32_768

/** The part of an allocation that Incus limits while an instance runs. */
export type RuntimeLimits = Pick<Allocation, 'vcpu' | 'memory' | 'processes'>

/**
 * How many processes and threads an instance may have at once: what its package says, or one for
 * each MiB of memory. An instance at rest has about 60; one that nobody bounds takes the host's.
 */
export function maxProcesses({
  memory,
  processes,
}: Pick<Allocation, 'memory' | 'processes'>): number {
  if (processes) return processes
  return Math.min(MAX_PROCESSES, Math.max(MIN_PROCESSES, Math.round(memory / BYTES_PER_MIB)))
}

/** Of 100, what one processor of an instance weighs where the host has not enough for all: with less its
 * neighbours wait for the console, with more the console waits for it (`./berth bench hostile`). */
const CPU_PERCENT_PER_VCPU = 25

/**
 * The host's own processes, the console among them, weigh 100: an instance that takes all it can get
 * leaves them theirs, and larger instances get more than smaller ones (Incus, `limits.cpu.allowance`).
 * What nobody else wants is anybody's.
 */
export function cpuWeightConfig({ vcpu }: Pick<Allocation, 'vcpu'>): Record<string, string> {
  return { 'limits.cpu.allowance': `${Math.min(100, CPU_PERCENT_PER_VCPU * vcpu)}%` }
}

/** Build Mode (product, "Build Mode"). */
export const BUILD_MODE_SETTINGS = { cpu: 4, memory: 2, seconds: 15 * 60, pause: 60 * 60 }

/** The instance's settings in Incus for an allocation. */
export function limitConfig(limits: RuntimeLimits): Record<string, string> {
  return {
    'limits.cpu': String(limits.vcpu),
    'limits.memory': `${limits.memory}B`,
    'limits.processes': String(maxProcesses(limits)),
  }
}

/** A boost that has not ended yet. */
export interface RunningBoost {
  /** The raised limits. */
  to: RuntimeLimits
  until: Date
}

/** Returns the boost of an instance for these usual limits; null if none is running. */
export function findRunningBoost(
  boostedUntil: DateTime | null,
  limits: RuntimeLimits,
  host: { cpuTotal: number; memoryTotal: number }
): RunningBoost | null {
  if (!boostedUntil || boostedUntil.toMillis() <= Date.now()) return null
  return { to: boostedLimits(limits, host), until: boostedUntil.toJSDate() }
}

/** Up to 4x CPU and 2x memory, never more than the host has. */
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
