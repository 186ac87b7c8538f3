/**
 * Benchmark of creating and deleting instances through the console's HTTP routes. Compared with `incus launch` and
 * `incus delete` on the same machine, with the same image, limits, disk, address filters and forwarded port. `incus
 * launch` without address filters and port is shown for information. A creation is measured until the instance's SSH
 * server responds. ROUNDS (15, because a container boots in 1.6 to 3.8 s) and CROWD (50) can be lowered.
 */
import { createConnection } from 'node:net'
import { type Device, Incus, type Instance } from '../packages/incus/main.js'
import { privateIncusSocketPath } from '../cli/host/incus_daemon.js'
import { administrator, type Caller, newCustomer, startConsole } from './console.js'
import { type Bench, interleave, median, resultRow, measureMs } from './measurement.js'
import { benchPackage, waitForOperation, pollUntilTrue } from './instances.js'
import { runCommand } from './openssh.js'

const rounds = Number(process.env.ROUNDS ?? 15)
const crowd = Number(process.env.CROWD ?? 50)
/** Memory of each instance. It is small, so that 50 instances fit into the memory of a small machine. */
const size = { ramMiB: 128 }
const NAME_PREFIX = 'bench-provision'

const bench: Bench = {
  name: 'provision',
  async run({ say }) {
    // Makes room for all CROWD instances on this host. POOL_SIZE has no effect on an existing storage pool.
    process.env.CPU_OVERCOMMIT ??= String(crowd)
    process.env.POOL_SIZE ??= String(crowd * 2 * 4 + 20)
    const console = await startConsole(NAME_PREFIX)
    const incus = Incus.local(privateIncusSocketPath(`${console.home}`))
    try {
      await pollUntilTrue(async () => (await incus.images.byAlias('berth-base')) !== null, 600_000)
      const packageId = await benchPackage(await administrator(console), size)
      const customer = await newCustomer(console)
      const ours = new Ours(customer, packageId)
      const like = await firstOf(ours, incus)
      const socket = privateIncusSocketPath(console.home)
      const theirs = new Theirs(incus, socket, like)
      const { root, eth0 } = like.devices
      const { type, name, network, 'ipv4.address': address } = eth0
      const nic = { type, name, network, 'ipv4.address': address }
      const plain = new Theirs(incus, socket, { ...like, devices: { root, eth0: nic } })

      const deletes: Record<string, number[]> = { ours: [], theirs: [], plain: [] }
      const madeAndGone = async (side: string, who: Ours | Theirs) => {
        const time = await measureMs(() => who.make('one'))
        deletes[side].push(await measureMs(() => who.delete('one')))
        return time
      }
      const one = await interleave(rounds, {
        ours: () => madeAndGone('ours', ours),
        theirs: () => madeAndGone('theirs', theirs),
        plain: () => madeAndGone('plain', plain),
      })
      for (const [side, times] of Object.entries(one)) {
        say(`One after the other, ${side}: ${times.map(Math.round).join(', ')} ms`)
      }
      const names = Array.from({ length: crowd }, (_, index) => `crowd-${index}`)
      const oursAtOnce = await measureMs(() => Promise.all(names.map((name) => ours.make(name))))
      const made = await ownOf(incus)
      await Promise.all(names.map((name) => ours.delete(name)))
      say(`${crowd} at once: ours in ${Math.round(oursAtOnce)} ms`)
      const theirsAtOnce = await measureMs(() =>
        Promise.all(names.map((name) => theirs.make(name)))
      )
      await Promise.all(names.map((name) => theirs.delete(name)))
      const reference = 'incus launch, same machine'
      // The goal is 1.05 times the reference plus 50 ms. This converts it to a ratio.
      const goal = (against: number) => `<= ${(1.05 + 50 / against).toFixed(2)}x`
      const [a, b] = [median(one.ours), median(one.theirs)]
      const [c, d] = [median(deletes.ours), median(deletes.theirs)]
      return [
        resultRow({ case: 'One', unit: 'ms', ours: a, against: b, reference, goal: goal(b) }),
        resultRow({
          case: `${crowd} at once`,
          unit: 'ms',
          ours: oursAtOnce,
          against: theirsAtOnce,
          reference,
          goal: '<= 0.4x',
        }),
        resultRow({ case: 'Made of them', unit: '', ours: made.length, goal: `= ${crowd}` }),
        resultRow({
          case: 'Delete',
          unit: 'ms',
          ours: c,
          against: d,
          reference: 'incus delete -f, same machine',
          goal: goal(d),
        }),
        resultRow({
          case: 'One',
          unit: 'ms',
          ours: a,
          against: median(one.plain),
          reference: 'incus launch, plain',
        }),
        resultRow({
          case: 'Delete',
          unit: 'ms',
          ours: c,
          against: median(deletes.plain),
          reference: 'incus delete -f, plain',
        }),
      ]
    } finally {
      await incus.close()
      await console.stop()
    }
  },
}

export default bench

/** Creates an instance and deletes it again. Returns the instance as Incus described it. */
async function firstOf(ours: Ours, incus: Incus): Promise<Instance> {
  // Retries, because the console rejects orders until it has a host.
  await pollUntilTrue(() => ours.make('first').then(() => true), 120_000)
  const [like] = await ownOf(incus)
  await ours.delete('first')
  return like
}

/** Lists the instances that the console has created, without the host's watchdog container. */
async function ownOf(incus: Incus): Promise<Instance[]> {
  const all = await incus.instances.list()
  return all.filter(({ name }) => /^berth-[0-9a-f]+-\d+$/.test(name))
}

class Ours {
  #ids = new Map<string, number>()

  constructor(
    readonly customer: Caller,
    readonly packageId: number
  ) {}

  async make(name: string): Promise<void> {
    const data = await this.customer.call<{ id: number; operation_id: string }>(
      'POST',
      '/server-instance/store',
      {
        name: `${NAME_PREFIX}-${name}`,
        instance_type: 'regular',
        server_package_id: this.packageId,
        billing_period: 'month',
      }
    )
    this.#ids.set(name, data.id)
    await waitForOperation(this.customer, data.operation_id)
  }

  async delete(name: string): Promise<void> {
    const work = await this.customer.call<{ operation_id: string }>(
      'POST',
      '/server-instance/delete',
      { id: this.#ids.get(name), name: `${NAME_PREFIX}-${name}` }
    )
    await waitForOperation(this.customer, work.operation_id)
  }
}

class Theirs {
  #made = 0

  constructor(
    readonly incus: Incus,
    readonly socket: string,
    readonly like: Pick<Instance, 'config' | 'devices'>
  ) {}

  async make(name: string): Promise<void> {
    const instance = `${NAME_PREFIX}-${name}`
    const limits = Object.entries(this.like.config).filter(([key]) => key.startsWith('limits.'))
    const wanted = {
      config: Object.fromEntries(limits),
      devices: devicesLike(this.like.devices, this.#made++ % 100),
    }
    await this.#incus(['launch', 'berth-base', instance], JSON.stringify(wanted))
    await pollUntilTrue(async () => {
      const { network } = await this.incus.instances.state(instance)
      const address = network?.eth0?.addresses.find(({ family }) => family === 'inet')?.address
      return address !== undefined && (await answers(address, 22))
    }, 120_000)
  }

  async delete(name: string): Promise<void> {
    await this.#incus(['delete', '-f', `${NAME_PREFIX}-${name}`])
  }

  /** Incus's own client reads the settings as YAML. JSON is valid YAML. */
  async #incus(argv: string[], settings = ''): Promise<void> {
    await runCommand('env', [`INCUS_SOCKET=${this.socket}`, 'incus', ...argv], settings)
  }
}

function devicesLike(devices: Record<string, Device>, index: number): Record<string, Device> {
  const mine = devices.eth0?.['ipv4.address'] ?? ''
  const address = mine.replace(/\d+$/, String(100 + index))
  const changed = Object.entries(devices).map(([name, device]): [string, Device] => {
    if (name === 'eth0') return [name, { ...device, 'ipv4.address': address }]
    if (device.type !== 'proxy') return [name, device]
    const listen = device.listen.replace(/\d+$/, String(45_000 + index))
    return [name, { ...device, listen, connect: device.connect.replace(mine, address) }]
  })
  return Object.fromEntries(changed)
}

function answers(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 2_000 })
    const end = (is: boolean) => {
      socket.destroy()
      resolve(is)
    }
    socket.once('data', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}
