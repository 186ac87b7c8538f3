import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus } from '../../packages/incus/main.ts'
import { eachLine } from '../../packages/machine/lines.ts'
import type { Report } from './run.ts'

/** The setting in Incus that reports to the console when an instance ran out of memory: ISO time. */
const REPORT = 'user.berth.memory.full'
const RETRY_MS = 10_000

/**
 * Returns the container of which a line of the kernel's log says that its first process was killed
 * because the container's memory was full; null for every other line. Customers choose the names of
 * control groups inside, so that the same container must be named twice, in the right places.
 */
export function containerKilledBy(line: string): string | null {
  // Incus itself may run in a control group, whose path comes first.
  const pattern =
    /oom-kill:constraint=CONSTRAINT_MEMCG,[^/]*oom_memcg=((?:\/(?!lxc\.payload\.)[^/,]+)*)\/lxc\.payload\.([\w-]+)[^,]*,task_memcg=\1\/lxc\.payload\.\2\/init\.scope,/
  return pattern.exec(line)?.[2] ?? null
}

/**
 * Follows the kernel's log and reports instances that ended because their memory was full, until the
 * signal ends it. Afterwards nothing in Incus says why an instance stopped; Incus starts it again
 * (`boot.autorestart`).
 */
export async function reportMemoryDeaths(options: {
  socket: string
  signal: AbortSignal
  report: Report
}): Promise<void> {
  const { socket, signal, report } = options
  const incus = Incus.local(socket)
  const note = async (line: string) => {
    const name = containerKilledBy(line)
    if (!name) return
    const config = { [REPORT]: new Date().toISOString() }
    try {
      await incus.instances.patch(name, { config })
    } catch (error) {
      // Another Incus of this machine may have it.
      report(`${name} ran out of memory, which could not be noted: ${(error as Error).message}`)
    }
  }
  while (!signal.aborted) {
    const child = spawn('dmesg', ['--follow-new'], {
      signal,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.on('error', () => {})
    void eachLine(child.stdout, (line) => void note(line))
    await once(child, 'close').catch(() => {})
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
  }
  await incus.close()
}
