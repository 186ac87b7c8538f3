/**
 * Benchmark of an upgrade under load: a running `./berth up` is upgraded to the same build with another version number.
 * Compared with the same load without an upgrade. The load is 50 requests a second (half of them with a new
 * connection), health checks of the vault and mail services, 20 terminals, and 10 simultaneous uploads. SECONDS without
 * an upgrade (30), REQUESTS a second (50), TERMINALS (20), UPLOADS (10).
 */
import { rm } from 'node:fs/promises'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ensureBuild } from '../cli/build.js'
import { type Bench, percentile, resultRow } from './measurement.js'
import {
  type TestInstallation,
  writeTestRelease,
  startTestInstallation,
} from './upgrade/test_installation.js'
import {
  callAtRate,
  get,
  callInSequence,
  type Load,
  type Sent,
  Terminal,
  upload,
} from './upgrade/load.js'

const { env } = process
const seconds = Number(env.SECONDS ?? 30)
const requests = Number(env.REQUESTS ?? 50)
const terminals = Number(env.TERMINALS ?? 20)
const uploads = Number(env.UPLOADS ?? 10)
const UPLOAD_SECONDS = 5
const CUSTOMER_ID = 7_000_001

interface Outcome {
  requests: Sent[]
  others: Sent[]
  uploads: Sent[]
  terminals: Terminal[]
  /** Duration of the function `during`, in seconds. */
  took: number
}

/** Creates the load while `during` runs, and for 3 s after it. */
async function under(ground: TestInstallation, during: () => Promise<void>): Promise<Outcome> {
  const admin = await ground.administrator()
  const open: Terminal[] = []
  while (open.length < terminals) {
    const terminal = await ground.terminal(admin)
    await terminal.open()
    open.push(terminal)
  }
  const typing = setInterval(() => open.forEach((terminal) => terminal.type('date\n')), 1_000)
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const headers = { cookie: admin.cookie, accept: 'application/json' }
  const list = `${ground.url}/admin/live-support/message-list?client_id=${CUSTOMER_ID}&page=1&length=100`
  const token = decodeURIComponent(/XSRF-TOKEN=([^;]+)/.exec(admin.cookie)?.[1] ?? '')
  const given = { cookie: admin.cookie, token }
  const sendUp = async () => {
    await upload(ground.url, given, '/admin/chat-file/upload', UPLOAD_SECONDS)
    // Deletes uploaded files that belong to no message, because the console limits their number.
    await ground.sql('delete from support_files where message_id is null')
  }
  const loads = {
    requests: [
      callAtRate(requests / 2, () => get(`${ground.url}/login`, 200)),
      callAtRate(requests / 2, () => get(list, 200, { agent, headers })),
    ],
    others: (['vault', 'mail'] as const).map((role) =>
      callAtRate(5, () => get(`http://127.0.0.1:${ground.ports[role]}/health`, 200))
    ),
    uploads: Array.from({ length: uploads }, () => callInSequence(sendUp)),
  }
  const began = performance.now()
  await during()
  const took = (performance.now() - began) / 1_000
  await sleep(3_000)
  clearInterval(typing)
  const all = async (some: Load[]) => (await Promise.all(some.map((one) => one.stop()))).flat()
  const [asked, others, sent] = await Promise.all([
    all(loads.requests),
    all(loads.others),
    all(loads.uploads),
  ])
  agent.destroy()
  for (const terminal of open) terminal.close()
  return { requests: asked, others, uploads: sent, terminals: open, took }
}

const failed = (sent: Sent[]) => sent.filter((one) => one.failed)
const tookOf = (sent: Sent[]) => sent.map(({ took }) => took)

/** Returns the number of seconds in which the 99th percentile of the durations was above `most` milliseconds. */
function slowSeconds(sent: Sent[], most: number): number {
  const bySecond = Map.groupBy(sent, ({ at }) => Math.floor(at / 1_000))
  return [...bySecond.values()].filter((some) => percentile(tookOf(some), 99) > most).length
}

const bench: Bench = {
  name: 'upgrade',
  async run({ say }) {
    await ensureBuild()
    const ground = await startTestInstallation()
    const source = await writeTestRelease({ version: '99.0.0' })
    try {
      await ground.sql(
        `insert into people (id, audience, name, email)
         values ($1, 'customer', 'Customer', 'customer@example.com')`,
        [CUSTOMER_ID]
      )
      await ground.sql(
        `insert into accounts (id, name, status) values ($1, 'Customer', 'active') on conflict do nothing`,
        [CUSTOMER_ID]
      )
      // Creates the load for warming up, because the first visits load the modules of the pages.
      await under(ground, () => sleep(3_000))
      const calm = await under(ground, () => sleep(seconds * 1_000))
      const p99 = percentile(tookOf(calm.requests), 99)
      let output = ''
      const upgraded = await under(ground, async () => {
        const done = await ground.berth('upgrade', source)
        output = done.output
        if (done.code !== 0) throw new Error(output)
      })
      say(output.trim())
      for (const { at, failed: why } of failed([
        ...upgraded.requests,
        ...upgraded.others,
        ...upgraded.uploads,
      ])) {
        say(`failed after ${(at / 1_000).toFixed(1)} s: ${why}`)
      }
      const wordless = upgraded.terminals.filter(({ closed }) => closed.length === 0).length
      const reference = 'the same load without an upgrade'
      const all = ({ requests: asked, others }: Outcome) => [...asked, ...others]
      return [
        resultRow({
          case: 'requests that failed',
          unit: 'requests',
          goal: '= 0',
          reference,
          ours: failed(all(upgraded)).length,
          against: failed(all(calm)).length,
        }),
        resultRow({
          case: 'p99 above twice the calm one',
          unit: 's',
          goal: '<= 10',
          reference,
          ours: slowSeconds(upgraded.requests, 2 * p99),
          against: slowSeconds(calm.requests, 2 * p99),
        }),
        resultRow({
          case: 'requests, p99',
          unit: 'ms',
          reference,
          ours: percentile(tookOf(upgraded.requests), 99),
          against: p99,
        }),
        resultRow({
          case: 'uploads that failed',
          unit: 'uploads',
          goal: '= 0',
          reference,
          ours: failed(upgraded.uploads).length,
          against: failed(calm.uploads).length,
        }),
        resultRow({
          case: 'terminals that ended without words',
          unit: 'terminals',
          goal: '= 0',
          ours: wordless,
        }),
        resultRow({ case: 'the upgrade', unit: 's', ours: upgraded.took }),
      ]
    } finally {
      await ground.stop()
      await rm(join(source, '..'), { recursive: true, force: true })
    }
  },
}

export default bench
