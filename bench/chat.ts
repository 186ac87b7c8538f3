/**
 * Live support under 10,000 browsers that look every 10 s and find nothing new, 1,000 event streams, and 10 messages a second
 * that each stream is told of, at the console's own web process; against a bare `node:http` server that does the same. What
 * browsers read after an event is not in it. SECONDS (20), POLLS a second (1000), STREAMS (1000), MESSAGES a second (10).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loader, root } from '../cli/paths.js'
import { loadChat, type Outcome, type Target } from './chat/load.js'
import { administrator, type BenchConsole, newCustomer, startConsole } from './console.js'
import { type Bench, percentile, row } from './frame.js'

const load = {
  seconds: Number(process.env.SECONDS ?? 20),
  polls: Number(process.env.POLLS ?? 1_000),
  streams: Number(process.env.STREAMS ?? 1_000),
  messages: Number(process.env.MESSAGES ?? 10),
}

/** Clock ticks of the kernel in a second (USER_HZ), as /proc counts. */
const HZ = 100

/** Seconds of a processor that a process has used. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / HZ
}

/** The web process below a console's command. */
async function webOf({ pid }: BenchConsole): Promise<number> {
  const all = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const parents = new Map<number, number>()
  const webs: number[] = []
  for (const name of all) {
    const read = (file: string) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')
    const [stat, line] = [await read('stat'), (await read('cmdline')).split('\0')]
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]))
    if (line.includes('web') && line.some((word) => word.includes('bin/role')))
      webs.push(Number(name))
  }
  const isBelow = (one: number): boolean =>
    one === pid || (one > 1 && isBelow(parents.get(one) ?? 0))
  const found = webs.filter(isBelow)
  if (found.length === 0) throw new Error('There is no web process')
  return found.at(-1)!
}

interface Measured extends Outcome {
  /** Of one core, in percent. */
  cpu: number
}

async function measure(target: Target, pid: number): Promise<Measured> {
  let [before, began] = [0, 0]
  const outcome = await loadChat(target, load, () => {
    began = performance.now()
    void cpuOf(pid).then((used) => (before = used))
  })
  const cpu = ((await cpuOf(pid)) - before) / ((performance.now() - began) / 1_000)
  if (outcome.failed) throw new Error(`${outcome.failed} polls were not answered with 304`)
  return { ...outcome, cpu: cpu * 100 }
}

async function ours(): Promise<Measured> {
  const console = await startConsole()
  try {
    const [staff, quiet, loud] = [
      await administrator(console),
      await newCustomer(console),
      await newCustomer(console),
    ]
    await loud.call('POST', '/live-support/send-message', { text: 'Hello' })
    await quiet.call('POST', '/live-support/send-message', { text: 'Hello' })
    const list = await loud.call<{ messages: { sender_id: number }[] }>(
      'GET',
      '/live-support/message-list?page=1&length=1'
    )
    const client = list.messages[0].sender_id
    const headers = { accept: 'application/json' }
    return await measure(
      {
        url: console.url,
        poll: {
          path: '/live-support/message-list?page=1&length=100',
          headers: { ...headers, cookie: quiet.cookie },
        },
        stream: { path: '/changes', headers: { accept: 'text/event-stream', cookie: loud.cookie } },
        say: () =>
          staff
            .call('POST', '/admin/live-support/send-message', { client_id: client, text: 'Words' })
            .then(() => {}),
      },
      await webOf(console)
    )
  } finally {
    await console.stop()
  }
}

async function bare(): Promise<Measured> {
  const child = fork(join(root, 'bench/chat/bare.ts'), { execArgv: loader })
  try {
    const [port] = (await once(child, 'message')) as [number]
    const url = `http://127.0.0.1:${port}`
    return await measure(
      {
        url,
        poll: { path: '/poll', headers: {} },
        stream: { path: '/changes', headers: {} },
        say: () => fetch(url, { method: 'POST', body: '{}' }).then((one) => void one.text()),
      },
      child.pid!
    )
  } finally {
    child.kill()
  }
}

const bench: Bench = {
  name: 'chat',
  async run({ say }) {
    const [theirs, mine] = [await bare(), await ours()]
    for (const [name, { cpu, polls, told }] of Object.entries({ bare: theirs, ours: mine })) {
      say(`${name}: ${cpu.toFixed(1)} % of a core, ${polls.length} polls, ${told.length} events`)
    }
    const reference = 'a bare node:http server'
    const p99 = (name: 'polls' | 'told') => ({
      ...{ ours: percentile(mine[name], 99), against: percentile(theirs[name], 99) },
      ...{ unit: 'ms', reference, goal: '< 75' },
    })
    return [
      row({
        ...{ case: 'web process', unit: '% of a core', ours: mine.cpu, against: theirs.cpu },
        ...{ reference, goal: '<= 30' },
      }),
      row({ case: 'polls, p99', ...p99('polls') }),
      row({ case: 'message to stream, p99', ...p99('told') }),
    ]
  },
}

export default bench
