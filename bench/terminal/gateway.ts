import { Incus } from '../../packages/incus/main.ts'
import {
  IncusMachine,
  SshMachine,
  type Machine,
  type SshTarget,
} from '../../packages/machine/main.ts'
import { createGateway } from '../../packages/terminal-gateway/main.ts'

/** A message from the parent process. In this benchmark, the grant for a terminal is the name of a machine. */
export interface GatewayTask {
  ssh: SshTarget
  incus: { socket: string; instance: string } | null
  sessions: number
}

/** A message to the parent process: first the port, and then the memory in bytes in response to each request. */
export type GatewayAnswer = { port: number } | { memory: number }

/** This file runs the gateway in a separate process, so that its memory and CPU profile contain nothing else. */
process.once('message', (task: GatewayTask) => void serve(task))

async function serve({ ssh, incus, sessions }: GatewayTask): Promise<void> {
  const machines: Record<string, Machine> = { ssh: new SshMachine(ssh) }
  if (incus) {
    machines.incus = new IncusMachine(Incus.local(incus.socket).instances, incus.instance)
  }
  const gateway = createGateway({
    allowedOrigins: () => true,
    authenticate: async () => ({ personId: 'bench', sessionId: 'bench' }),
    // Ends a shell as soon as its browser disconnects, so that no shell is left during the next measurement.
    keepFor: 0,
    maxPerPerson: sessions,
    maxPerMachine: sessions,
    redeem: async (kind) => ({
      id: kind,
      personId: 'bench',
      machineId: kind,
      label: kind,
      open: (size) => machines[kind].shell({ ...size, argv: ['sh'] }),
      onClosed: () => {},
    }),
    onError: (error) => console.error(error),
  })
  process.on('disconnect', () => process.exit())
  process.on('message', () => answer({ memory: process.memoryUsage.rss() }))
  answer({ port: await gateway.listen(0, '127.0.0.1') })
}

function answer(words: GatewayAnswer): void {
  process.send!(words)
}
