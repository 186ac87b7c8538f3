import { runForOutput } from '../../cli/host/run_for_output.ts'
import { randomUUID } from 'node:crypto'

/** Address from a range for documentation (RFC 5737). No computer on the internet has it. */
const HOST_SIDE = '198.51.100.254'

export interface ExternalMachine {
  address: string
  exec(...argv: string[]): Promise<string>
  remove(): Promise<void>
}

/**
 * Creates a network namespace that acts as another computer on the internet, and reaches instances
 * through the host.
 */
export async function createExternalMachine(): Promise<ExternalMachine> {
  const id = randomUUID().slice(0, 6)
  const [name, near, far] = [`berth-out-${id}`, `bo${id}`, `bi${id}`]
  const address = '198.51.100.1'
  const inside = ['-n', name]
  const steps = [
    ['netns', 'add', name],
    ['link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', name],
    ['addr', 'add', `${HOST_SIDE}/24`, 'dev', near],
    ['link', 'set', near, 'up'],
    [...inside, 'addr', 'add', `${address}/24`, 'dev', far],
    [...inside, 'link', 'set', far, 'up'],
    [...inside, 'route', 'add', 'default', 'via', HOST_SIDE],
  ]
  const remove = async () => {
    await runForOutput('ip', ['link', 'delete', near]).catch(() => {})
    await runForOutput('ip', ['netns', 'delete', name]).catch(() => {})
  }
  try {
    for (const step of steps) await runForOutput('ip', step)
  } catch (error) {
    await remove()
    throw error
  }
  return {
    address,
    exec: (...argv) => runForOutput('ip', ['netns', 'exec', name, ...argv]),
    remove,
  }
}
