import { runAsOwner } from '#guest/public_effects'
import type { ExecOptions, Machine } from '#packages/machine/main'

/** Interval in ms at which PM2 checks the memory of apps. The command that starts PM2's daemon must set it. */
export const PM2_WORKER_INTERVAL_MS = '2000'

/** Environment of every command that may start PM2's daemon, such as builds. */
export const pm2Variables = {
  PM2_DISCRETE_MODE: 'true',
  PM2_WORKER_INTERVAL: PM2_WORKER_INTERVAL_MS,
}

export function runPm2(
  machine: Machine,
  what: string,
  argv: string[],
  options: ExecOptions = {}
): Promise<string> {
  return runAsOwner(machine, what, argv, { ...options, env: { ...options.env, ...pm2Variables } })
}
