/**
 * What others notice of one account that asks for more than its share: 100 clones that hang, as its
 * own machine's git makes them. Another customer's order until the instance answers, and their list of
 * instances, each against the same with nobody else. ROUNDS (7) of orders, SECONDS (20) of visits.
 */
import { Incus } from '../packages/incus/main.js'
import { socketOf } from '../cli/host/incus_service.js'
import { administrator, type Caller, newCustomer, startConsole } from './console.js'
import { type Bench, median, percentile, row, timed } from './frame.js'
import { benchPackage, order, until } from './instances.js'

const rounds = Number(process.env.ROUNDS ?? 7)
const seconds = Number(process.env.SECONDS ?? 20)
const CLONES = 100

const HANGING_GIT = `#!/bin/sh
case " $* " in *" clone "*) exec sleep 3600 ;; esac
exec /usr/lib/git-core/git "$@"
`

const bench: Bench = {
  name: 'fair',
  async run({ say }) {
    process.env.CPU_OVERCOMMIT ??= '16'
    process.env.POOL_SIZE ??= '20'
    const console = await startConsole()
    const incus = Incus.local(socketOf(console.home))
    const calls: (() => Promise<unknown>)[] = []
    try {
      await until(async () => (await incus.images.byAlias('berth-base')) !== null, 600_000)
      const packageId = await benchPackage(await administrator(console), { ramMiB: 256 })
      const greedy = await newCustomer(console)
      const modest = await newCustomer(console)
      const machine = await order(incus, greedy, packageId, 'greedy')
      calls.push(() => machine.remove())
      const orderOnce = async (name: string) => {
        const began = performance.now()
        const made = await order(incus, modest, packageId, name)
        const took = performance.now() - began
        await made.remove()
        return took
      }
      const measure = async (when: string) => {
        const orders: number[] = []
        for (let round = 0; round < rounds; round++)
          orders.push(await orderOnce(`${when}-${round}`))
        say(`Orders, ${when}: ${orders.map(Math.round).join(', ')} ms`)
        return { order: median(orders), page: percentile(await visits(modest), 99) }
      }

      await orderOnce('first')
      const calm = await measure('calm')
      await incus.instances.pushFile(machine.systemId, '/usr/local/bin/git', HANGING_GIT, {
        mode: '0755',
      })
      await incus.instances.exec(machine.systemId, ['mv', '/usr/local/bin/git', '/usr/bin/git'], {
        timeout: 60,
      })
      const begun = await hang(greedy, machine.id)
      say(`${begun.length} clones asked for`)
      await until(async () => (await runningOf(greedy, begun)) > 0, 60_000)
      const beside = await measure('beside')
      say(`${await runningOf(greedy, begun)} of them at once`)
      await Promise.all(begun.map((id) => greedy.call('POST', `/operations/${id}/cancel`)))
      const reference = 'the same with nobody else'
      return [
        row({
          case: 'An order',
          unit: 'ms',
          ours: beside.order,
          against: calm.order,
          reference,
          goal: '<= 1.2x',
        }),
        row({
          case: 'A page, p99',
          unit: 'ms',
          ours: beside.page,
          against: calm.page,
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

/** Asks for clones that will not end; the operations' ids. */
async function hang(greedy: Caller, instanceId: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < CLONES; index++) {
    const { operation } = await greedy.call<{ operation: { id: string } }>('POST', '/git/clone', {
      server_instance_id: instanceId,
      // Nothing connects to it: the machine's git only sleeps.
      repository: 'https://1.1.1.1/never.git',
      username: 'nobody',
      password: 'nothing',
      directory: `never-${index}`,
    })
    ids.push(operation.id)
  }
  return ids
}

async function runningOf(caller: Caller, ids: string[]): Promise<number> {
  type Told = { operation: { status: string } }
  const told = await Promise.all(ids.map((id) => caller.call<Told>('GET', `/operations/${id}`)))
  return told.filter(({ operation }) => operation.status === 'running').length
}

async function visits(customer: Caller): Promise<number[]> {
  const times: number[] = []
  const end = Date.now() + seconds * 1000
  while (Date.now() < end) {
    times.push(await timed(() => customer.call('GET', '/server-instance/list')))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return times
}
