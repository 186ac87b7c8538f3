import type { Allocation } from '#catalog/public'

const MIB = 1024 ** 2

/** Instances that one customer can have at most, deleted ones not counted. */
export const MAX_INSTANCES = 50

/** From this share on people are warned that a disk fills. */
export const DISK_WARNING = 0.85
/** Processes and threads of the smallest and of the largest instance whose package names no number. */
const FEWEST_PROCESSES = 512
const MOST_PROCESSES = 32_768

/** The part of an allocation that Incus limits while an instance runs. */
export type Limits = Pick<Allocation, 'vcpu' | 'memory' | 'processes'>

/**
 * How many processes and threads an instance may have at once: what its package says, or one for
 * each MiB of memory. An instance at rest has about 60; one that nobody bounds takes the host's.
 */
export function processesOf({
  memory,
  processes,
}: Pick<Allocation, 'memory' | 'processes'>): number {
  if (processes) return processes
  return Math.min(MOST_PROCESSES, Math.max(FEWEST_PROCESSES, Math.round(memory / MIB)))
}

/** Of 100, what one processor of an instance weighs where the host has not enough for all: with less its
 * neighbours wait for the console, with more the console waits for it (`./berth bench hostile`). */
const WEIGHT = 25

/**
 * The host's own processes, the console among them, weigh 100: an instance that takes all it can get
 * leaves them theirs, and larger instances get more than smaller ones (Incus, `limits.cpu.allowance`).
 * What nobody else wants is anybody's.
 */
export function weightConfig({ vcpu }: Pick<Allocation, 'vcpu'>): Record<string, string> {
  return { 'limits.cpu.allowance': `${Math.min(100, WEIGHT * vcpu)}%` }
}

/** Build Mode (product, "Build Mode"). */
export const BOOST = { cpu: 4, memory: 2, seconds: 15 * 60, pause: 60 * 60 }

/** The instance's settings in Incus for an allocation. */
export function limitConfig(limits: Limits): Record<string, string> {
  return {
    'limits.cpu': String(limits.vcpu),
    'limits.memory': `${limits.memory}B`,
    'limits.processes': String(processesOf(limits)),
  }
}

/** Up to 4x CPU and 2x memory, never more than the host has. */
export function boosted(
  allocation: Limits,
  host: { cpuTotal: number; memoryTotal: number }
): Limits {
  const atMost = (wanted: number, there: number) => (there > 0 ? Math.min(wanted, there) : wanted)
  return {
    ...allocation,
    vcpu: Math.max(allocation.vcpu, atMost(allocation.vcpu * BOOST.cpu, host.cpuTotal)),
    memory: Math.max(
      allocation.memory,
      atMost(allocation.memory * BOOST.memory, Math.floor(host.memoryTotal / 2))
    ),
  }
}
