import type { ServerInstance } from '#instances/public'
import type { Person } from '#identity/public'
import { webRoot } from '#guest/engine'
import { makeInstanceAt } from '#guest/tests/instances'
import { startSshd, type TestSshd } from '#packages/machine/tests/sshd'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A machine with a web root: a real sshd on this computer, in a folder of its own. */
export interface WebRootMachine {
  sshd: TestSshd
  /** The web root, on this computer. */
  root: string
  /** Beside the web root: what nobody may reach. */
  outside: string
  /** An active instance of a customer that leads to it. */
  instanceOf(customer: Person): Promise<ServerInstance>
  stop(): Promise<void>
}

/**
 * Starts it; every web root of this process is there until `stop`.
 * @param settings of its sshd; whoever runs the tests may have a slow start-up file at home
 */
export async function startWebRootMachine(
  settings = ['SetEnv HOME=/nonexistent']
): Promise<WebRootMachine> {
  const sshd = await startSshd(settings)
  const root = join(sshd.folder, 'public_html')
  const outside = join(sshd.folder, 'outside')
  await mkdir(root)
  await mkdir(outside)
  const usual = webRoot.path
  webRoot.path = root
  return {
    sshd,
    root,
    outside,
    instanceOf: (customer) => makeInstanceAt(customer, sshd.target),
    stop: async () => {
      webRoot.path = usual
      await sshd.stop()
    },
  }
}
