import { buildFolder } from '../../cli/build.js'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** A worker as a process of its own, with its operations and schedules. */
export interface WorkerProcess {
  alive(): boolean
  /** Ends it at once, as a crash does; resolves when it is gone. */
  kill(): Promise<void>
}

/** From the build, which starts in a fraction of the time that the sources take. */
export function spawnWorker(
  /** Added to its environment, and who is told each line of its log. */
  { change = {}, onLine }: { change?: NodeJS.ProcessEnv; onLine?: (line: string) => void } = {}
): WorkerProcess {
  const child = spawn(process.execPath, [join(buildFolder, 'bin/role.js'), 'worker'], {
    cwd: buildFolder,
    env: { ...process.env, BERTH_ROLE: 'worker', ...change },
    stdio: ['ignore', onLine ? 'pipe' : 'ignore', 'inherit'],
  })
  if (onLine) createInterface(child.stdout!).on('line', onLine)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    alive: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
