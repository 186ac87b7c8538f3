import app from '@adonisjs/core/services/app'
import { spawn } from 'node:child_process'

/** A worker as a process of its own, with its operations and schedules. */
export interface WorkerProcess {
  alive(): boolean
  /** Ends it at once, as a crash does; resolves when it is gone. */
  kill(): Promise<void>
}

export function spawnWorker(): WorkerProcess {
  const argv = ['--import', '@poppinss/ts-exec', app.makePath('bin/role.ts'), 'worker']
  const child = spawn(process.execPath, argv, {
    cwd: app.makePath(),
    env: { ...process.env, BERTH_ROLE: 'worker' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    alive: () => child.exitCode === null && child.signalCode === null,
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
