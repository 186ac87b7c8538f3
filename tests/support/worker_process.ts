import { giveUpLeftovers } from '#tests/support/worker'
import app from '@adonisjs/core/services/app'
import { spawn } from 'node:child_process'

/**
 * Starts a worker as a process of its own, with its operations and chores. What other tests
 * ordered and never ran is given up first.
 */
export async function spawnWorker(): Promise<{ kill(): Promise<void> }> {
  await giveUpLeftovers()
  const argv = ['--import', '@poppinss/ts-exec', app.makePath('bin/role.ts'), 'worker']
  const child = spawn(process.execPath, argv, {
    cwd: app.makePath(),
    env: { ...process.env, BERTH_ROLE: 'worker' },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    /** At once, as a crash does it. */
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
