import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** A service that runs in a separate process, as in an installation, so that tests can kill it. */
export interface RoleProcess {
  url: string
  pid: number
  kill(): Promise<void>
  /** Sends SIGTERM, as the supervisor does. Returns the exit code; null if a signal ended the process. */
  stop(): Promise<number | null>
  ended: Promise<unknown>
}

/** Folder of the built code, which starts much faster than the TypeScript sources. */
const buildFolder = fileURLToPath(new URL('../../../build', import.meta.url))

/**
 * Starts a role's process and waits until `/health` reports success.
 * @param inherited names of environment variables that the service inherits from this process
 */
export async function startRoleProcess(
  role: 'vault' | 'mail',
  inherited: string[],
  more: NodeJS.ProcessEnv,
  showLog: boolean
): Promise<RoleProcess> {
  const url = `http://127.0.0.1:${process.env[`${role.toUpperCase()}_PORT`]}`
  const child = spawn(process.execPath, [join(buildFolder, 'bin/role.js'), role], {
    cwd: buildFolder,
    env: {
      ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      NODE_ENV: 'test',
      ...more,
    },
    stdio: ['ignore', showLog ? 'inherit' : 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await answers(role, url, child)
  const end = async (signal: NodeJS.Signals) => {
    if (isAlive(child)) child.kill(signal)
    if (isAlive(child)) await ended
    return child.exitCode
  }
  return {
    url,
    ended,
    pid: child.pid!,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

async function answers(role: string, url: string, child: ChildProcess): Promise<void> {
  for (let tried = 0; tried < 3_000; tried++) {
    if (!isAlive(child)) throw new Error(`The ${role} service of a test ended at its start`)
    const ok = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false
    )
    if (ok) return
    await wait(100)
  }
  throw new Error(`The ${role} service of a test did not start`)
}
