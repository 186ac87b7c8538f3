/**
 * Benchmark of the live support chat. Compares the console's web process with a bare `node:http` server that does the
 * same. 10,000 browsers poll every 10 s and get no new messages. At the same time, 10 messages a second are sent, and
 * 1,000 event streams get events about them. The load lacks the requests that browsers send after an event. All clients
 * are staff, because pages of staff get the events of every conversation. Variables with their defaults: SECONDS (20),
 * POLLS a second (1000), STREAMS (1000), MESSAGES a second (10).
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { typescriptLoaderArgs, installRoot } from '../cli/paths.js'
import { loadChat, type Outcome, type Target } from './chat/load.js'
import { withConsoleProcess as bareConsole } from './billing/with_console_process.js'
import { Caller } from './console.js'
import { type Bench, percentile, resultRow } from './measurement.js'

const load = {
  seconds: Number(process.env.SECONDS ?? 20),
  polls: Number(process.env.POLLS ?? 1_000),
  streams: Number(process.env.STREAMS ?? 1_000),
  messages: Number(process.env.MESSAGES ?? 10),
}

/** Ticks per second of the CPU times in /proc (USER_HZ). */
const TICKS_PER_SECOND = 100

/** Returns the CPU time of a process in seconds. */
async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

interface Measured extends Outcome {
  /** CPU usage in percent of one core. */
  cpu: number
}

async function measure(target: Target, pid: number): Promise<Measured> {
  const marks: { at: number; used: Promise<number> }[] = []
  const mark = () => void marks.push({ at: performance.now(), used: cpuOf(pid) })
  const outcome = await loadChat(target, load, mark, mark)
  const [begun, ended] = marks
  const cpu = ((await ended.used) - (await begun.used)) / ((ended.at - begun.at) / 1_000)
  if (outcome.failed) throw new Error(`${outcome.failed} polls were not answered with 304`)
  return { ...outcome, cpu: cpu * 100 }
}

/** Number of event streams per person. The console allows 40. */
const PAGES_PER_PERSON = 25

async function ours(): Promise<Measured> {
  return bareConsole('bench-chat', async ({ ask, serve }) => {
    const people = await ask<object[]>('staff', {
      many: Math.ceil(load.streams / PAGES_PER_PERSON),
    })
    const [quiet, loud] = await ask<number[]>('talkers')
    const { url, pid } = await serve()
    const staff: Caller[] = []
    for (const [index, person] of people.entries()) {
      const caller = new Caller(url, `10.0.0.${index + 1}`)
      await caller.open('/admin/login')
      await caller.call('POST', '/admin/login', person)
      staff.push(caller)
    }
    const [first] = staff
    const said = { client_id: loud, text: 'Words' }
    return measure(
      {
        url,
        poll: {
          path: `/admin/live-support/message-list?client_id=${quiet}&page=1&length=100`,
          headers: { accept: 'application/json', cookie: first.cookie },
        },
        stream: {
          path: '/admin/changes',
          headers: staff.map(({ cookie }) => ({ accept: 'text/event-stream', cookie })),
        },
        say: () => first.call('POST', '/admin/live-support/send-message', said).then(() => {}),
      },
      pid
    )
  })
}

async function bare(): Promise<Measured> {
  const child = fork(join(installRoot, 'bench/chat/bare.ts'), { execArgv: typescriptLoaderArgs })
  try {
    const [port] = (await once(child, 'message')) as [number]
    const url = `http://127.0.0.1:${port}`
    return await measure(
      {
        url,
        poll: { path: '/poll', headers: {} },
        stream: { path: '/changes', headers: [{}] },
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
    const p99 = (name: 'polls' | 'told' | 'alone') => ({
      ours: percentile(mine[name], 99),
      against: percentile(theirs[name], 99),
      unit: 'ms',
      reference,
      goal: '< 75',
    })
    return [
      resultRow({
        case: 'web process',
        unit: '% of a core',
        ours: mine.cpu,
        against: theirs.cpu,
        reference,
        goal: '<= 30',
      }),
      resultRow({ case: 'polls, p99', ...p99('polls') }),
      // This case has no goal, because the console combines bursts into at most four events a second (decision 0024).
      resultRow({ case: 'message to stream, p99', ...p99('told'), goal: '' }),
      resultRow({ case: 'message that comes alone to stream, p99', ...p99('alone') }),
    ]
  },
}

export default bench
