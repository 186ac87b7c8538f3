import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus } from '../../packages/incus/main.ts'
import { forEachLine } from '../../packages/machine/line_splitter.ts'
import type { LineReporter } from './run_for_output.ts'

/** Incus setting with the ISO time at which the instance ran out of memory. The console reads it. */
const MEMORY_FULL_KEY = 'user.berth.memory.full'
const RETRY_DELAY_MS = 10_000
/** Incus stops and restarts the instance at the time of the report, and refuses changes meanwhile. */
const BUSY_TIMEOUT_MS = 300_000

/**
 * Returns the container whose init process the kernel killed because it ran out of memory. Customers choose
 * cgroup names in a container, so the line must name the same container twice, in the right positions.
 */
export function parseOomKilledContainer(line: string): string | null {
  // Incus itself may run in a control group, whose path comes first.
  const pattern =
    /oom-kill:constraint=CONSTRAINT_MEMCG,[^/]*oom_memcg=((?:\/(?!lxc\.payload\.)[^/,]+)*)\/lxc\.payload\.([\w-]+)[^,]*,task_memcg=\1\/lxc\.payload\.\2\/init\.scope,/
  return pattern.exec(line)?.[2] ?? null
}

/**
 * Reports instances that ran out of memory, from the kernel log: Incus does not record why an instance stopped,
 * and restarts it (`boot.autorestart`).
 */
export async function watchOomKills(options: {
  socket: string
  signal: AbortSignal
  report: LineReporter
}): Promise<void> {
  const { socket, signal, report } = options
  const incus = Incus.local(socket)
  const note = async (line: string) => {
    const name = parseOomKilledContainer(line)
    if (!name) return
    const config = { [MEMORY_FULL_KEY]: new Date().toISOString() }
    try {
      await incus.instances.patchWhenIdle(name, { config }, BUSY_TIMEOUT_MS)
    } catch (error) {
      // The container may belong to another Incus on this machine.
      report(
        `${name} ran out of memory, but this could not be reported: ${(error as Error).message}`
      )
    }
  }
  while (!signal.aborted) {
    const child = spawn('dmesg', ['--follow-new'], {
      signal,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.on('error', () => {})
    void forEachLine(child.stdout, (line) => void note(line))
    await once(child, 'close').catch(() => {})
    await sleep(RETRY_DELAY_MS, undefined, { signal }).catch(() => {})
  }
  await incus.close()
}
