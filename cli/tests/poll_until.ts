import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Calls `ask` repeatedly until it returns a truthy value, and returns that value.
 * @throws Error after 150 seconds
 */
export async function pollUntil<T>(
  ask: () => T | Promise<T>
): Promise<Exclude<T, false | 0 | '' | null | undefined>> {
  const deadline = Date.now() + 150_000
  for (;;) {
    const answer = await ask()
    if (answer) return answer as Exclude<T, false | 0 | '' | null | undefined>
    if (Date.now() > deadline) throw new Error('Waited 150 s in vain')
    await sleep(20)
  }
}

/** A zombie counts as not running. */
export function isRunning(pid: number): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !['Z', 'X'].includes(line.slice(line.lastIndexOf(')') + 2)[0])
  } catch {
    return false
  }
}
