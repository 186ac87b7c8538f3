import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { VaultControlClient } from '../control/client.js'
import { adoptFolder, stopVaultService } from './test_service.js'

/** Runs in its own process, as in an installation, so that tests can kill it. */
export interface VaultProcess {
  url: string
  control: VaultControlClient
  pid: number
  kill(): Promise<void>
  /** Stops the process as the supervisor does. Returns the exit code. */
  stop(): Promise<number | null>
  ended: Promise<unknown>
}

/** The build starts much faster than the sources. */
const buildFolder = fileURLToPath(new URL('../../../build', import.meta.url))

/** Stops the shared service first, because only one can use the database. */
export async function startVaultProcess(
  folder: string,
  more: NodeJS.ProcessEnv = {}
): Promise<VaultProcess> {
  await stopVaultService()
  adoptFolder(folder)
  const url = `http://127.0.0.1:${process.env.VAULT_PORT}`
  const { VAULT_PORT, VAULT_KEY, VAULT_CONTROL_KEY, VAULT_DATABASE_URL, PATH } = process.env
  const child = spawn(process.execPath, [join(buildFolder, 'bin/role.js'), 'vault'], {
    cwd: buildFolder,
    env: {
      VAULT_PORT,
      VAULT_KEY,
      VAULT_CONTROL_KEY,
      VAULT_DATABASE_URL,
      PATH,
      HOST: '127.0.0.1',
      NODE_ENV: 'test',
      VAULT_FOLDER: folder,
      VAULT_THREADS: '2',
      VAULT_RESERVE: '0',
      ...more,
    },
    stdio: ['ignore', process.env.VAULT_LOG ? 'inherit' : 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await answers(url, child)
  const end = async (signal: NodeJS.Signals) => {
    if (isAlive(child)) child.kill(signal)
    if (isAlive(child)) await ended
    return child.exitCode
  }
  return {
    url,
    ended,
    pid: child.pid!,
    control: new VaultControlClient({ url, key: VAULT_CONTROL_KEY! }),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tried = 0; tried < 600; tried++) {
    if (!isAlive(child)) throw new Error('The vault service of a test ended at its start')
    const ok = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false
    )
    if (ok) return
    await wait(100)
  }
  throw new Error('The vault service of a test did not start')
}
