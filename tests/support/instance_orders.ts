import { actorOf } from '#identity/public'
import { registerLocalHost } from '#hosts/actions/register_local_host'
import { orderInstance } from '#instances/actions/order_instance'
import { deleteInstance } from '#instances/actions/instance_lifecycle'
import type { InstanceType } from '#catalog/models/server_package'
import type { HostInstance } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import type { ServerInstance } from '#instances/public'
import { connectToActiveInstance } from '#instances/public_effects'
import Operation from '#core/models/operation'
import { runSteps } from '#core/operations/runner'
import type { Person } from '#identity/public'
import type { ExecOptions } from '#packages/machine/main'
import { createSmallPackage, uniqueName, disableOtherHosts } from '#tests/support/hosts'

/** A real instance, created by a customer's order. */
export interface OrderedInstance {
  instance: ServerInstance
  /**
   * Runs a program as root. Returns the standard output, trimmed.
   * @throws Error with the standard error if the program fails
   */
  asRoot(argv: string[], options?: ExecOptions): Promise<string>
  /** Like `asRoot`, but runs a shell command. */
  sh(line: string): Promise<string>
  /** Fills the disk until about this many bytes are free (at most a few megabytes). */
  leave(bytes: number): Promise<void>
  makeRoom(): Promise<void>
  /** Stops the instance at once without a shutdown, like a power cut. */
  cutPower(): Promise<void>
}

const DISK_GB = 3
const BALLAST_PATH = '/var/ballast'
/**
 * Shell script that fills the disk with a file. Arguments: its path, bytes that `fallocate` can fill at once, bytes
 * that stay free.
 */
const FILL_DISK_SCRIPT = `head -c "$3" /dev/zero > "$1.room"
[ "$2" = 0 ] || fallocate -l "$2" "$1"
cat /dev/zero >> "$1" 2> /dev/null
rm "$1.room"
sync`

/** Returns `order`, which orders instances on this machine's real Incus, and `end`, which deletes them. */
export async function createInstanceOrderer() {
  const restore = await disableOtherHosts()
  const { host } = await registerLocalHost()
  await host.merge({ status: 'active' }).save()
  const made: [Person, ServerInstance][] = []
  return {
    async order(customer: Person, type: InstanceType): Promise<OrderedInstance> {
      const { id } = await createSmallPackage(type, { vcpu: 2, memoryMb: 1024, diskGb: DISK_GB })
      const { instance, operation } = await orderInstance(await actorOf(customer), {
        name: uniqueName('site'),
        instanceType: type,
        serverPackageId: id,
        billingPeriod: 'month',
      })
      made.push([customer, instance])
      await runOperation(operation)
      return toOrderedInstance(host, await instance.refresh())
    },
    async end() {
      for (const [customer, instance] of made.splice(0)) {
        // Frees space before the deletion: Incus itself needs free space within the quota of an instance that it
        // changes.
        await incusClientFor(host)
          .instances.deleteFile(instance.systemId!, BALLAST_PATH)
          .catch(() => {})
        await runOperation(await deleteInstance(await actorOf(customer), instance.id))
      }
      await restore()
    },
  }
}

async function runOperation({ id, kind }: Operation): Promise<void> {
  await runSteps(id)
  const { status, error } = await Operation.findOrFail(id)
  if (status !== 'done') throw new Error(`${kind} is ${status}: ${error}`)
}

function toOrderedInstance(host: HostInstance, instance: ServerInstance): OrderedInstance {
  const { instances } = incusClientFor(host)
  const systemId = instance.systemId!
  const asRoot: OrderedInstance['asRoot'] = async (argv, options) => {
    const machine = await connectToActiveInstance(instance)
    const all = { timeout: 300_000, ...options, user: 'root' as const }
    const { code, stdout, stderr } = await machine.exec(argv, all)
    if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}: ${stderr}`)
    return stdout.toString().trim()
  }
  const makeRoom = async () => {
    await asRoot(['sh', '-c', 'rm -f "$1" && sync', 'sh', BALLAST_PATH])
  }
  return {
    instance,
    asRoot,
    sh: (line) => asRoot(['sh', '-c', line]),
    async leave(bytes) {
      await makeRoom()
      const { disk } = await instances.state(systemId)
      const most = Math.max(0, DISK_GB * 1024 ** 3 - disk!.root!.usage - 16 * 1024 ** 2)
      await asRoot(['sh', '-c', FILL_DISK_SCRIPT, 'sh', BALLAST_PATH, String(most), String(bytes)])
    },
    makeRoom,
    async cutPower() {
      await (await instances.setState(systemId, 'stop', { force: true })).wait(300)
    },
  }
}
