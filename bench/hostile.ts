/**
 * Benchmark of the effect of one hostile instance on other instances of its host and on the console. The attacks are a
 * fork bomb, a memory leak and a full disk, one after another. Measures the echo of a keystroke over SSH on another
 * instance, and its owner's list of instances in the console. Both are compared with the same without an attack, and
 * with an instance that only uses all its processors. Shows medians of ROUNDS (5) rounds, in alternation. Each
 * measurement takes SECONDS (10).
 */
import { once } from 'node:events'
import ssh2 from 'ssh2'
import { Incus } from '../packages/incus/main.js'
import { generateKeyPair } from '../packages/machine/main.js'
import { privateIncusSocketPath } from '../cli/host/incus_daemon.js'
import { type Attack, ATTACK_SCRIPTS, attackCommand } from '../tests/support/attack_scripts.js'
import { administrator, type Caller, newCustomer, startConsole } from './console.js'
import { type Bench, median, percentile, resultRow, measureMs } from './measurement.js'
import { benchPackage, orderInstance, pollUntilTrue } from './instances.js'

const seconds = Number(process.env.SECONDS ?? 10)
const rounds = Number(process.env.ROUNDS ?? 5)
const PROMPT_TIMEOUT_MS = 120_000

/** Starts two busy loops. Instances in benchmarks have at most two processors. */
const BUSY_LOOP_SCRIPT =
  'for each in 1 2; do setsid perl -e "1 while 1" >/dev/null 2>&1 </dev/null & done'

/**
 * Maximum delays that a person still perceives as immediate (docs/decisions/0028): one frame for an echo, 100 ms for a
 * page.
 */
const MAX_NOTICEABLE_MS = { echo: 16, pages: 100 }

interface Figures {
  echo: number[]
  pages: number[]
}

/** Durations of one round, in milliseconds. */
interface Round {
  calm: Figures
  computing: Figures
  during: Figures
  restart: number
}

const bench: Bench = {
  name: 'hostile',
  async run({ say }) {
    process.env.CPU_OVERCOMMIT ??= '16'
    process.env.POOL_SIZE ??= '20'
    const console = await startConsole()
    const incus = Incus.local(privateIncusSocketPath(console.home))
    const calls: (() => Promise<unknown>)[] = []
    try {
      await pollUntilTrue(async () => (await incus.images.byAlias('berth-base')) !== null, 600_000)
      const packageId = await benchPackage(await administrator(console))
      const owner = await newCustomer(console)
      const customer = await newCustomer(console)
      const hostile = await orderInstance(incus, owner, packageId, 'hostile')
      calls.push(() => hostile.remove())
      const neighbour = await orderInstance(incus, customer, packageId, 'neighbour')
      calls.push(() => neighbour.remove())
      const terminal = await typeInto(incus, neighbour.systemId)
      calls.push(async () => terminal.close())
      const measure = () => figuresOf(terminal.echo, customer)

      await measure()
      const attacks = Object.keys(ATTACK_SCRIPTS) as Attack[]
      const seen = new Map(attacks.map((attack) => [attack, [] as Round[]]))
      for (let round = 0; round < rounds; round++)
        for (const attack of attacks) {
          // Measures both references again before each attack, because the machine's other load changes within minutes.
          const calm = await measure()
          await incus.instances.exec(hostile.systemId, ['sh', '-c', BUSY_LOOP_SCRIPT], {
            timeout: 60,
          })
          const computing = await measure()
          await incus.instances.exec(hostile.systemId, ['pkill', 'perl'], { timeout: 60 })
          await incus.instances.exec(hostile.systemId, attackCommand(attack), { timeout: 60 })
          await new Promise((resolve) => setTimeout(resolve, 5_000))
          const during = await measure()
          const restart = await measureMs(() => hostile.restart())
          await incus.instances.exec(hostile.systemId, ['rm', '-f', '/root/filled'], {
            timeout: 60,
          })
          seen.get(attack)!.push({ calm, computing, during, restart })
          say(`${attack}: round ${round + 1} of ${rounds}`)
        }
      return attacks.flatMap((attack) => rowsOf(attack, seen.get(attack)!))
    } finally {
      for (const call of calls.reverse()) await call().catch((error: Error) => say(error.message))
      await incus.close()
      await console.stop()
    }
  },
}

export default bench

function rowsOf(attack: Attack, rounds: Round[]) {
  const p99 = (when: 'calm' | 'computing' | 'during', what: keyof Figures) =>
    median(rounds.map((round) => percentile(round[when][what], 99)))
  const goal = (what: keyof Figures) =>
    p99('calm', what) * 1.5 > MAX_NOTICEABLE_MS[what] ? '<= 1.5x' : `<= ${MAX_NOTICEABLE_MS[what]}`
  const both = (what: keyof Figures, named: string) => [
    resultRow({
      case: `${attack} in an instance: ${named}, p99`,
      unit: 'ms',
      ours: p99('during', what),
      against: p99('calm', what),
      reference: 'the same without an attack',
      goal: goal(what),
    }),
    resultRow({
      case: `${attack} in an instance: ${named}, p99`,
      unit: 'ms',
      ours: p99('during', what),
      against: p99('computing', what),
      reference: 'during a CPU-bound load in an instance',
    }),
  ]
  return [
    ...both('echo', 'keystroke echo of another instance'),
    ...both('pages', 'console page load'),
    resultRow({
      case: `${attack} in an instance: its owner restarts it`,
      unit: 'ms',
      ours: median(rounds.map((round) => round.restart)),
    }),
  ]
}

/** Measures keystrokes and page visits at the same time. */
async function figuresOf(echo: () => Promise<number>, customer: Caller): Promise<Figures> {
  const figures: Figures = { echo: [], pages: [] }
  const end = Date.now() + seconds * 1000
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const type = async () => {
    while (Date.now() < end) {
      figures.echo.push(await echo())
      await pause(20)
    }
  }
  const visit = async () => {
    while (Date.now() < end) {
      figures.pages.push(await measureMs(() => customer.call('GET', '/server-instance/list')))
      await pause(50)
    }
  }
  await Promise.all([type(), visit()])
  return figures
}

/** Opens a terminal over SSH on another instance, with a new key. `echo` measures one keystroke. */
async function typeInto(incus: Incus, name: string) {
  const key = generateKeyPair()
  const keys = '/root/.ssh/authorized_keys'
  await incus.instances.exec(name, ['mkdir', '-p', '/root/.ssh'], { timeout: 60 })
  await incus.instances.pushFile(name, keys, `${key.publicKey}\n`, { mode: '0600' })
  const { devices } = await incus.instances.get(name)
  const client = new ssh2.Client()
  client.connect({
    host: devices.eth0['ipv4.address'],
    username: 'root',
    privateKey: key.privateKey,
    readyTimeout: PROMPT_TIMEOUT_MS,
  })
  await once(client, 'ready')
  const stream = await new Promise<ssh2.ClientChannel>((resolve, reject) =>
    client.exec('stty raw -echo; cat', { pty: true }, (error, channel) =>
      error ? reject(error) : resolve(channel)
    )
  )
  const echo = () =>
    measureMs(async () => {
      const back = once(stream, 'data')
      stream.write('x')
      await back
    })
  return { echo, close: () => client.end() }
}
