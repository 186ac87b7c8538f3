import { buildFolder } from '../../cli/build.js'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

export interface WorkerProcess {
  alive(): boolean
  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(): Promise<void>
}

/** Starts a worker process from the build, because the build starts much faster than the sources. */
export function spawnWorker(
  /**
   * `change` contains environment variables to add or replace. `onLine` is called with each line of the worker's log.
   */
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
