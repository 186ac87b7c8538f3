import { ServerInstance } from '#compute/public'
import ServerPackage from '#compute/models/server_package'
import type { Person } from '#identity/public'
import { webRoot } from '#guest/machine/public'
import { startSshd, type TestSshd } from '#packages/machine/tests/sshd'
import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A machine with a web root: a real sshd on this computer, in a folder of its own. */
export interface FileMachine {
  sshd: TestSshd
  /** The web root, on this computer. */
  root: string
  /** Beside the web root: what nobody may reach. */
  outside: string
  /** An active instance of a customer that leads to it. */
  instanceOf(customer: Person): Promise<ServerInstance>
  stop(): Promise<void>
}

/** Starts it; every web root of this process is there until `stop`. */
export async function startFileMachine(): Promise<FileMachine> {
  // Whoever runs the tests may have a slow start-up file at home.
  const sshd = await startSshd(['SetEnv HOME=/nonexistent'])
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
    instanceOf: (customer) => makeInstance(customer, sshd),
    stop: async () => {
      webRoot.path = usual
      await sshd.stop()
    },
  }
}

async function makeInstance(customer: Person, { target }: TestSshd): Promise<ServerInstance> {
  const offer = await ServerPackage.query().where('instanceType', 'regular').firstOrFail()
  return ServerInstance.create({
    customerId: customer.id,
    serverPackageId: offer.id,
    name: `files-${randomUUID().slice(0, 8)}`,
    instanceType: 'regular',
    status: 'active',
    billingPeriod: 'month',
    ip: target.host,
    ports: { ssh: target.port! },
    username: target.username,
    sshKey: target.privateKey as string,
    hostKey: target.hostKey,
    vcpu: 1,
    memoryBytes: 1024 ** 3,
    diskBytes: 10 * 1024 ** 3,
    boostMode: false,
  })
}
