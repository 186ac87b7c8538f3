/**
 * Benchmark of fairness between accounts. One account starts 100 clones of git repositories, which never finish because
 * `git clone` on its instance only sleeps. Meanwhile, measures an order of another customer until the new instance is
 * active, and that customer's list of instances. Both are compared with the same without the clones, in alternation.
 * ROUNDS (7) of orders, each with SECONDS (3) of page visits.
 */
import { Incus } from '../packages/incus/main.js'
import { privateIncusSocketPath } from '../cli/host/incus_daemon.js'
import { administrator, type Caller, newCustomer, startConsole } from './console.js'
import { type Bench, interleave, median, percentile, resultRow, measureMs } from './measurement.js'
import { benchPackage, orderInstance, pollUntilTrue } from './instances.js'

const rounds = Number(process.env.ROUNDS ?? 7)
const seconds = Number(process.env.SECONDS ?? 3)
const CLONE_COUNT = 100

type When = 'calm' | 'beside'

interface Told {
  operation: { id: string; status: string }
}

const HANGING_GIT_SCRIPT = `#!/bin/sh
case " $* " in *" clone "*) exec sleep 3600 ;; esac
exec /usr/lib/git-core/git "$@"
`

const bench: Bench = {
  name: 'fair',
  async run({ say }) {
    process.env.CPU_OVERCOMMIT ??= '16'
    process.env.POOL_SIZE ??= '20'
    const console = await startConsole()
    const incus = Incus.local(privateIncusSocketPath(console.home))
    const calls: (() => Promise<unknown>)[] = []
    try {
      await pollUntilTrue(async () => (await incus.images.byAlias('berth-base')) !== null, 600_000)
      const packageId = await benchPackage(await administrator(console), { ramMiB: 256 })
      const greedy = await newCustomer(console)
      const modest = await newCustomer(console)
      const machine = await orderInstance(incus, greedy, packageId, 'greedy')
      calls.push(() => machine.remove())
      await incus.instances.pushFile(machine.systemId, '/usr/local/bin/git', HANGING_GIT_SCRIPT, {
        mode: '0755',
      })
      await incus.instances.exec(machine.systemId, ['mv', '/usr/local/bin/git', '/usr/bin/git'], {
        timeout: 60,
      })
      const clones = new HangingClones(greedy, machine.id)
      const pages: Record<When, number[][]> = { calm: [], beside: [] }
      const measure = async (when: When) => {
        await (when === 'calm' ? clones.end() : clones.begin())
        const began = performance.now()
        const made = await orderInstance(incus, modest, packageId, `${when}-${pages[when].length}`)
        const took = performance.now() - began
        pages[when].push(await visits(modest))
        await made.remove()
        say(`An order, ${when}: ${Math.round(took)} ms`)
        return took
      }
      const orders = await interleave(rounds, {
        calm: () => measure('calm'),
        beside: () => measure('beside'),
      })
      await clones.end()
      // Ignores the first round, which is for warming up.
      const page = (when: When) => percentile(pages[when].slice(1).flat(), 99)
      const reference = 'the same with nobody else'
      return [
        resultRow({
          case: 'An order',
          unit: 'ms',
          ours: median(orders.beside),
          against: median(orders.calm),
          reference,
          goal: '<= 1.2x',
        }),
        resultRow({
          case: 'A page, p99',
          unit: 'ms',
          ours: page('beside'),
          against: page('calm'),
          reference,
          goal: '<= 1.3x',
        }),
      ]
    } finally {
      for (const call of calls.reverse()) await call().catch((error: Error) => say(error.message))
      await incus.close()
      await console.stop()
    }
  },
}

export default bench

/** Git clones that never finish. Either all of them are queued or running, or none. */
class HangingClones {
  #asked: string[] = []

  constructor(
    readonly customer: Caller,
    readonly instanceId: number
  ) {}

  async begin(): Promise<void> {
    if (this.#asked.length) return
    for (let index = 0; index < CLONE_COUNT; index++) {
      const { operation } = await this.customer.call<Told>('POST', '/git/clone', {
        server_instance_id: this.instanceId,
        // No connection is made to this address, because `git clone` on the instance only sleeps.
        repository: 'https://1.1.1.1/never.git',
        username: 'nobody',
        password: 'nothing',
        directory: `never-${index}`,
      })
      this.#asked.push(operation.id)
    }
    await pollUntilTrue(async () => (await this.#count('running')) > 0, 60_000)
  }

  async end(): Promise<void> {
    const cancel = (id: string) => this.customer.call('POST', `/operations/${id}/cancel`)
    await Promise.all(this.#asked.map(cancel))
    await pollUntilTrue(async () => (await this.#count('queued', 'running')) === 0, 120_000)
    this.#asked = []
  }

  async #count(...statuses: string[]): Promise<number> {
    const ask = (id: string) => this.customer.call<Told>('GET', `/operations/${id}`)
    const told = await Promise.all(this.#asked.map(ask))
    return told.filter(({ operation }) => statuses.includes(operation.status)).length
  }
}

async function visits(customer: Caller): Promise<number[]> {
  const times: number[] = []
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    times.push(await measureMs(() => customer.call('GET', '/server-instance/list')))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return times
}
