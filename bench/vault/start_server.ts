import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Started {
  pid: number
  stop(): Promise<void>
}

/** Starts a program and waits until `url` responds, with any status. */
export async function startServer(
  argv: string[],
  url: string,
  env: NodeJS.ProcessEnv = process.env
): Promise<Started> {
  const [program, ...rest] = argv
  const child = spawn(program!, rest, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  const deadline = Date.now() + 60_000
  const answers = () => fetch(url).then((answer) => answer.arrayBuffer())
  while (!(await answers().catch(() => undefined))) {
    if (child.exitCode === null && Date.now() < deadline) await sleep(50)
    else {
      await stop()
      throw new Error(`${program} did not start`)
    }
  }
  return { pid: child.pid!, stop }
}
