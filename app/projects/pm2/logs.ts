import { asOwner, withoutColours } from '#projects/machine/run'
import type { Machine } from '#packages/machine/main'
import { createInterface } from 'node:readline'

/** Lines shown of what was written before. */
const BEFORE = '200'
const LONGEST = 4_000

/**
 * Follows log files as they grow, also when they are replaced; calls back with lines in batches.
 * Returns how to stop.
 */
export async function followLogs(
  machine: Machine,
  files: string[],
  { lines, ended }: { lines: (lines: string[]) => void; ended: () => void }
): Promise<() => void> {
  const tail = asOwner(['tail', '-q', '-n', BEFORE, '-F', '--', ...files], { cwd: '/' })
  const process = await machine.spawn(tail.argv, tail.options)
  process.stdin.on('error', () => {})
  process.stdin.end()
  process.stderr.resume()
  let waiting: string[] = []
  let timer: NodeJS.Timeout | undefined
  const send = () => {
    timer = undefined
    lines(waiting)
    waiting = []
  }
  createInterface({ input: process.stdout }).on('line', (line) => {
    waiting.push(withoutColours(line).slice(0, LONGEST))
    // A flood is not worth more than the newest lines.
    if (waiting.length > 1_000) waiting.shift()
    timer ??= setTimeout(send, 100)
  })
  void process.exit.catch(() => {}).then(ended)
  return () => {
    clearTimeout(timer)
    void process.kill('SIGKILL').catch(() => {})
  }
}
