import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureDebianPackages } from '../ensure_debian_packages.js'
import { startPostfix } from '#tests/support/postfix'
import { interleave, median, resultRow, measureMs, type ResultRow } from '../measurement.js'
import { runCommand } from '../openssh.js'
import { sendNewNamesScript } from '../vault/load.js'
import { berthMail, type BerthMail } from './berth.js'
import { haraka } from './haraka.js'

const rounds = Number(process.env.ROUNDS ?? 5)
const duration = Number(process.env.DURATION ?? 4000)
const BODY_BYTES = 4096
const CLIENT_COUNTS = [1, 10, 50]

/**
 * Measures how many messages per second are stored durably. Compares the HTTP API of Berth's mail service with Postfix
 * and Haraka, to which smtp-source sends messages of the same size.
 */
export async function measureAccept(say: (line: string) => void): Promise<ResultRow[]> {
  await ensureDebianPackages({ '/usr/bin/wrk': 'wrk', '/usr/sbin/smtp-source': 'postfix' })
  const folder = await mkdtemp(join(tmpdir(), 'berth-bench-mail-'))
  const ends: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })]
  try {
    say('a build, a database, the mail service; Postfix; Haraka')
    const ours = await berthMail()
    ends.push(() => ours.stop())
    const postfix = await startPostfix({
      domains: ['sink.test'],
      users: ['a@sink.test'],
      tls: false,
      // Makes Postfix discard messages after it has accepted them, so that only accepting them is measured.
      settings: { virtual_transport: 'discard:', smtpd_peername_lookup: 'no', in_flow_delay: '0' },
    })
    ends.push(() => postfix.stop())
    const other = await haraka(join(folder, 'haraka'))
    ends.push(() => other.stop())

    const rows: ResultRow[] = []
    for (const clients of CLIENT_COUNTS) {
      say(`${clients} at once`)
      const slow: number[] = []
      const text = JSON.stringify(letter({ text_body: lines(BODY_BYTES) }))
      const html = JSON.stringify(letter({ mail_body: lines(BODY_BYTES).replaceAll(/^/gm, '<p>') }))
      const found = await interleave(rounds, {
        ours: async () => {
          const { rate, p99 } = await calls(folder, ours, text, clients)
          slow.push(p99)
          return rate
        },
        html: async () => (await calls(folder, ours, html, clients)).rate,
        postfix: () => given(postfix.port, clients, 700),
        haraka: () => given(other.port, clients, 500),
      })
      const name = `accept 4 KB, ${clients} at once`
      const facts = { unit: 'messages/s', ours: median(found.ours) }
      const against = (reference: string, numbers: number[]) => ({
        against: median(numbers),
        reference,
      })
      rows.push(
        resultRow({ case: name, ...facts, ...against('Postfix', found.postfix), goal: '>= 4x' }),
        resultRow({ case: name, ...facts, ...against('Haraka', found.haraka), goal: '>= 4x' }),
        resultRow({
          case: `${name}, HTML`,
          unit: facts.unit,
          ours: median(found.html),
          ...against('Postfix', found.postfix),
        })
      )
      if (clients === 50)
        rows.push(
          resultRow({ case: `${name}, p99`, unit: 'ms', ours: median(slow), goal: '<= 50' })
        )
    }
    return rows
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

function letter(more: object) {
  return {
    sender_email: 'bench@example.com',
    sender_name: 'Bench',
    recipient_email: 'a@sink.test',
    subject: 'Bench',
    ...more,
  }
}

function lines(bytes: number): string {
  return 'The quick brown fox jumps over the lazy dog, again and again.\n'.repeat(bytes / 62)
}

/**
 * Measures calls of the API. Each response is sent after a commit. Checks that at least as many messages are stored as
 * wrk got responses.
 */
async function calls(folder: string, ours: BerthMail, body: string, clients: number) {
  const script = join(folder, 'load.lua')
  await writeFile(script, sendNewNamesScript('POST', '/send-mail', body, 'application/json'))
  const headers = Object.entries(ours.headers).flatMap(([name, value]) => [
    '-H',
    `${name}: ${value}`,
  ])
  const seconds = `${Math.max(1, Math.round(duration / 1000))}s`
  const before = await ours.taken()
  const argv = [
    '-t1',
    `-c${clients}`,
    `-d${seconds}`,
    '--latency',
    ...headers,
    '-s',
    script,
    ours.url,
  ]
  const output = await runCommand('wrk', argv)
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(output)
  const said = Number(/(\d+) requests in/.exec(output)![1])
  const taken = (await ours.taken()) - before
  if (taken < said) throw new Error(`${said} were answered, ${taken} are there`)
  const [, number, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(output)!
  const p99 = Number(number) * { us: 0.001, ms: 1, s: 1000 }[unit as 'us']
  return { rate: Number(/Requests\/sec:\s+([\d.]+)/.exec(output)![1]), p99 }
}

async function given(port: number, clients: number, count: number): Promise<number> {
  const told = ['-d', '-s', String(clients), '-m', String(count), '-l', String(BODY_BYTES)]
  const argv = [...told, '-f', 'bench@example.com', '-t', 'a@sink.test', `127.0.0.1:${port}`]
  const took = await measureMs(() => runCommand('/usr/sbin/smtp-source', argv))
  return count / (took / 1000)
}
