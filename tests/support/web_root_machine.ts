import type { ServerInstance } from '#instances/public'
import type { Person } from '#identity/public'
import { webRoot } from '#guest/public'
import { makeInstanceAt } from '#guest/tests/instances'
import { startSshd, type TestSshd } from '#packages/machine/tests/sshd'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A real sshd on this computer, which replaces an instance with a web root. */
export interface WebRootMachine {
  sshd: TestSshd
  root: string
  /** A folder next to the web root that customers must not reach. */
  outside: string
  /** Creates the row of an active instance whose address is this sshd. */
  instanceOf(customer: Person): Promise<ServerInstance>
  stop(): Promise<void>
}

/**
 * Starts an sshd. Until `stop`, all instances in this process use its web root.
 * @param settings lines of sshd_config. By default, HOME is changed, so that the shell does not read the tester's own,
 * possibly slow, start-up file
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
