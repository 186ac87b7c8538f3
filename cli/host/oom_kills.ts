import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Incus } from '../../packages/incus/main.ts'
import { forEachLine } from '../../packages/machine/line_splitter.ts'
import type { LineReporter } from './run_for_output.ts'

/** Incus config key with the time (ISO 8601) at which the instance ran out of memory. The console reads it. */
const MEMORY_FULL_KEY = 'user.berth.memory.full'
const RETRY_DELAY_MS = 10_000
/** While an instance stops and restarts because its memory was full, Incus rejects changes to it. */
const BUSY_TIMEOUT_MS = 300_000

/**
 * Parses a line of the kernel log. Returns the container whose init process was killed because the container ran out of
 * memory. Customers choose cgroup names inside their container, so the line must contain the same container twice, at
 * the right positions.
 */
export function parseOomKilledContainer(line: string): string | null {
  // If Incus itself runs in a cgroup, the path begins with that cgroup.
  const pattern =
    /oom-kill:constraint=CONSTRAINT_MEMCG,[^/]*oom_memcg=((?:\/(?!lxc\.payload\.)[^/,]+)*)\/lxc\.payload\.([\w-]+)[^,]*,task_memcg=\1\/lxc\.payload\.\2\/init\.scope,/
  return pattern.exec(line)?.[2] ?? null
}

/**
 * Incus only restarts an instance (`boot.autorestart`) and does not record why it stopped, so this reads the kernel
 * log.
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
      // The container may belong to another Incus daemon on this machine.
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
