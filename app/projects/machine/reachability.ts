import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const LISTENS_PUBLICLY_SCRIPT = readScript(import.meta, 'listens_publicly.sh')

/** Returns whether the app listens on an address other than loopback. Also true if the app does not listen yet. */
export async function listensPubliclyOrNotYet(machine: Machine, port: number): Promise<boolean> {
  const argv = ['sh', '-c', LISTENS_PUBLICLY_SCRIPT, 'berth-hears', String(port)]
  const { code } = await machine.exec(argv, { cwd: '/', timeout: 30_000 })
  return code === 0
}

/** Returns whether the URL responds within 5 s, with any status. */
export async function isUrlAnswering(url: string): Promise<boolean> {
  try {
    const { body } = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(5_000) })
    await body?.cancel()
    return true
  } catch {
    return false
  }
}
