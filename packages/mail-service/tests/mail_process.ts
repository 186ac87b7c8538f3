import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { MailControlClient } from '../control/client.js'

export interface MailProcess {
  url: string
  smtpPort: number
  control: MailControlClient
  kill(): Promise<void>
  /** Stops the process as the supervisor does. Returns the exit code. */
  stop(): Promise<number | null>
}

/** The build starts much faster than the sources. */
const buildFolder = fileURLToPath(new URL('../../../build', import.meta.url))

export async function startMailProcess(
  folder: string,
  more: NodeJS.ProcessEnv = {}
): Promise<MailProcess> {
  const { MAIL_PORT, MAIL_SMTP_PORT, MAIL_KEY, MAIL_CONTROL_KEY, MAIL_DATABASE_URL, PATH } =
    process.env
  const url = `http://127.0.0.1:${MAIL_PORT}`
  const child = spawn(process.execPath, [join(buildFolder, 'bin/role.js'), 'mail'], {
    cwd: buildFolder,
    env: {
      MAIL_PORT,
      MAIL_SMTP_PORT,
      MAIL_KEY,
      MAIL_CONTROL_KEY,
      MAIL_DATABASE_URL,
      PATH,
      HOST: '127.0.0.1',
      NODE_ENV: 'test',
      MAIL_FOLDER: folder,
      ...more,
    },
    stdio: ['ignore', process.env.BERTH_MAIL_LOG ? 'inherit' : 'ignore', 'inherit'],
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
    smtpPort: Number(MAIL_SMTP_PORT),
    control: new MailControlClient({ url, key: MAIL_CONTROL_KEY! }),
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
  }
}

function isAlive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let tried = 0; tried < 600; tried++) {
    if (!isAlive(child)) throw new Error('The mail service of a test ended at its start')
    const ok = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false
    )
    if (ok) return
    await wait(100)
  }
  throw new Error('The mail service of a test did not start')
}
