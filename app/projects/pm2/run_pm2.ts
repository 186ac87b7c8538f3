import { runAsOwner } from '#guest/public'
import type { ExecOptions, Machine } from '#packages/machine/main'

/** How often PM2 looks at the memory of its apps, in ms; whichever command wakes its daemon tells it. */
export const PM2_WORKER_INTERVAL_MS = '2000'

/** Variables of every command that may wake PM2's daemon: builds, too, may call it. */
export const pm2Variables = {
  PM2_DISCRETE_MODE: 'true',
  PM2_WORKER_INTERVAL: PM2_WORKER_INTERVAL_MS,
}

/** As `runAsOwner`, for a command of PM2. */
export function runPm2(
  machine: Machine,
  what: string,
  argv: string[],
  options: ExecOptions = {}
): Promise<string> {
  return runAsOwner(machine, what, argv, { ...options, env: { ...options.env, ...pm2Variables } })
}
