/**
 * Runs a console with INSTANCES (10,000) instances on HOSTS (100) fake Incus hosts, and five domains for each instance.
 *
 * Measures:
 * - one round of maintenance by the worker's schedules
 * - an order, compared with an order in the same console without instances
 * - the time from saving a domain until the edge (reverse proxy) gets it
 * - the worker's memory
 *
 * The edge is a fake that accepts each configuration immediately. ROUNDS (5).
 */
import { createServer, type Server } from 'node:http'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureBuild } from '../cli/build.js'
import { openHome } from '../cli/berth_home.js'
import { installRoot } from '../cli/paths.js'
import { findRealPostgresFolder } from '../cli/postgres/cluster_folder.js'
import { openDatabase } from '../cli/postgres/open_database.js'
import { resetDatabase } from '../cli/postgres/test_database.js'
import { selectRows } from '../cli/postgres/connections.js'
import { findFreePorts, commonProcessEnv } from '../cli/roles.js'
import { migrateDatabase } from '../cli/ace_commands.js'
import { FakeIncus } from '../packages/incus/fake.js'
import type { Instance } from '../packages/incus/main.js'
import type { Recorded } from './fleet/console.js'
import { FleetConsole } from './fleet/process.js'
import { type Bench, interleave, median, resultRow } from './measurement.js'

const rounds = Number(process.env.ROUNDS ?? 5)
const hosts = Number(process.env.HOSTS ?? 100)
const instances = Number(process.env.INSTANCES ?? 10_000)
const ORDERS_PER_ROUND = 10
/** Capacity of each fake host, which is enough for every order. */
const HOST_CAPACITY = { processors: 1_000, memory: 2_000 * 1024 ** 3, disk: 20_000 * 1024 ** 3 }

const bench: Bench = {
  name: 'fleet',
  async run({ say }) {
    const calls: (() => Promise<unknown>)[] = []
    const atEnd = (call: () => Promise<unknown>) => calls.push(call)
    try {
      const fakes = await Promise.all(Array.from({ length: hosts }, () => FakeIncus.start()))
      for (const { state } of fakes) Object.assign(state.means, HOST_CAPACITY)
      for (const fake of fakes) atEnd(() => fake.stop())
      const edge = await startEdge()
      atEnd(async () => edge.server.close())

      const home = await openHome(join(installRoot, '.berth', 'bench-fleet'))
      const database = await openDatabase(home, { env: {} })
      atEnd(async () => {
        await database.stop()
        const data = await findRealPostgresFolder(home.path)
        if (data) await rm(data, { recursive: true, force: true })
        await rm(home.path, { recursive: true, force: true })
      })
      await resetDatabase(home, database)
      const local = { edge: { admin: edge.address, httpPort: 80, httpsPort: 443 } }
      const told = { PATH: process.env.PATH, HOST: '127.0.0.1', LOG_LEVEL: 'error' }
      const ports = await findFreePorts()
      const env = commonProcessEnv({ home, database, ports, mode: 'production', local, env: told })
      await ensureBuild()
      await migrateDatabase({ home, database, env, from: 'build', always: true })

      const first = await FleetConsole.start(env)
      const sockets = fakes.map(({ socketPath }) => socketPath)
      await first.ask('prepare', { sockets })
      await first.stop()
      // Copies the database now, while it contains hosts and customers, but no instances.
      await selectRows(
        superuser(database.ownerUrl, home.secrets.databaseSuperuser),
        COPY_DATABASE_SQL
      )
      const emptyUrl = database.appUrl.replace(/berth$/, 'berth_empty')
      const empty = await FleetConsole.start({ ...env, DATABASE_URL: emptyUrl })
      atEnd(() => empty.stop())
      const filler = await FleetConsole.start(env)
      const recorded = await filler.ask<Recorded[]>('fill', { instances })
      await filler.stop()
      await selectRows(database.ownerUrl, 'analyze')
      for (const one of recorded) put(fakes[one.host]!, one.containers)
      say(`${instances} instances on ${hosts} hosts, ${instances * 5} domains`)

      const full = await FleetConsole.start(env)
      atEnd(() => full.stop())
      // The first round of a new worker is not measured: it sends all domains to the edge, and repairs differences.
      await full.ask('upkeep', { minute: 0 })
      await full.ask('serve')
      const upkeep: Record<string, number>[] = []
      for (let round = 1; round <= rounds; round++) {
        upkeep.push(await full.ask<Record<string, number>>('upkeep', { minute: round }))
        say(`Upkeep: ${JSON.stringify(upkeep.at(-1))}`)
      }
      // Takes orders in a separate process, because in production the web process does so and not the worker.
      const web = await FleetConsole.start(env)
      atEnd(() => web.stop())
      const orders = await interleave(rounds * ORDERS_PER_ROUND, {
        empty: () => empty.ask<number>('order'),
        full: () => web.ask<number>('order'),
      })
      const domains: number[] = []
      for (let round = 0; round < rounds; round++) {
        const name = `fresh-${round}.example.com`
        const served = edge.waitFor(name)
        const began = performance.now()
        await full.ask('domain', { name })
        while (!(await Promise.race([served, full.ask('serve').then(() => false)])));
        domains.push(performance.now() - began)
      }
      const quiet: number[] = []
      for (let round = 0; round < rounds; round++) quiet.push(await full.ask<number>('serve'))
      const memory = await full.ask<{ now: number; most: number }>('memory')
      const part = (name: string) => median(upkeep.map((one) => one[name]!))
      const whole = median(upkeep.map((one) => Object.values(one).reduce((a, b) => a + b, 0)))
      const shown = (name: string, ours: number) => resultRow({ case: name, unit: 'ms', ours })
      return [
        resultRow({ case: 'A round of upkeep', unit: 'ms', ours: whole, goal: '<= 5000' }),
        shown('- what is on record', part('reconcile')),
        shown('- measures', part('sample')),
        shown('- whether hosts answer', part('check')),
        resultRow({
          case: 'An order',
          unit: 'ms',
          ours: median(orders.full),
          against: median(orders.empty),
          reference: 'with nothing on the hosts',
          goal: '<= 1.2x',
        }),
        resultRow({
          case: 'A domain, saved until told',
          unit: 'ms',
          ours: median(domains),
          goal: '<= 2000',
        }),
        shown('Domains where nothing changed', median(quiet)),
        resultRow({ case: 'Memory of the worker', unit: 'MiB', ours: memory.now, goal: '<= 300' }),
        resultRow({ case: '- at its most', unit: 'MiB', ours: memory.most }),
      ]
    } finally {
      for (const call of calls.reverse()) await call().catch((error: Error) => say(error.message))
    }
  },
}

export default bench

const COPY_DATABASE_SQL = `create database berth_empty template berth owner berth`

function superuser(ownerUrl: string, password: string): string {
  const url = new URL(ownerUrl)
  url.username = 'postgres'
  url.password = password
  url.pathname = '/postgres'
  return url.href
}

function put({ state }: FakeIncus, containers: Pick<Instance, 'name' | 'config' | 'devices'>[]) {
  for (const { name, config, devices } of containers) {
    const instance: Instance = {
      name,
      config,
      devices,
      description: '',
      type: 'container',
      status: 'Running',
      status_code: 103,
      architecture: 'x86_64',
      location: 'none',
      project: 'default',
      created_at: new Date().toISOString(),
      ephemeral: false,
      stateful: false,
      profiles: ['default'],
      expanded_config: config,
      expanded_devices: devices,
    }
    const startedAt = Date.now()
    state.instances.set(name, { instance, files: new Map(), startedAt })
  }
}

/** Starts a fake edge. It accepts configurations like Caddy's admin API, but serves no sites. */
async function startEdge() {
  let version = ''
  const waiting = new Map<string, () => void>()
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method === 'POST') {
        const text = Buffer.concat(chunks).toString()
        version = /"@id":"([^"]+)"/.exec(text)?.[1] ?? ''
        for (const [name, wake] of waiting) if (text.includes(name)) wake()
      }
      const known = request.method === 'POST' || request.url === `/id/${version}/admin`
      response.writeHead(known ? 200 : 404).end('{}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const waitFor = (name: string) =>
    new Promise<boolean>((resolve) => waiting.set(name, () => resolve(true)))
  return { server, address: `127.0.0.1:${port}`, waitFor }
}
