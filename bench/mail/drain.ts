import pg from 'pg'
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openHome } from '../../cli/berth_home.js'
import { typescriptLoaderArgs, installRoot } from '../../cli/paths.js'
import { findRealPostgresFolder } from '../../cli/postgres/cluster_folder.js'
import { openDatabase } from '../../cli/postgres/open_database.js'
import { resetDatabase } from '../../cli/postgres/test_database.js'
import { findFreePorts, migrationEnv, commonProcessEnv } from '../../cli/roles.js'
import { runProgram } from '../../cli/run_program.js'
import { migrateDatabase } from '../../cli/ace_commands.js'
import { findFreePort } from '#tests/support/find_free_port'
import { startPostfix } from '#tests/support/postfix'
import { interleave, median, resultRow, type ResultRow } from '../measurement.js'

const rounds = Number(process.env.ROUNDS ?? 5)
/** Number of messages of 4 KB in one measurement. */
const MESSAGE_COUNT = Number(process.env.MESSAGES ?? 3000)
const MESSAGE_BYTES = 4096
const SMTP_SINK_PATH = '/usr/sbin/smtp-sink'
const SMTP_SOURCE_PATH = '/usr/sbin/smtp-source'

/**
 * `mail` (docs/benchmarks.md): delivers queued messages to a test server (sink). Compared with Postfix, with the same
 * sink, messages and number of connections.
 */
export async function measureDrain(say: (line: string) => void): Promise<ResultRow[]> {
  const home = await openHome(join(installRoot, '.berth', 'bench-mail'))
  const database = await openDatabase(home, { env: {} })
  const ends: (() => Promise<unknown>)[] = [
    async () => {
      await database.stop()
      const data = await findRealPostgresFolder(home.path)
      if (data) await rm(data, { recursive: true, force: true })
      await rm(home.path, { recursive: true, force: true })
    },
  ]
  try {
    await resetDatabase(home, database)
    const ports = await findFreePorts()
    const env = commonProcessEnv({ home, database, ports, mode: 'test', local: {} })
    const told = migrationEnv(env, database)
    await migrateDatabase({ home, database, env: told, from: 'sources', always: true })
    const sink = await findFreePort()
    const sinking = spawn(SMTP_SINK_PATH, ['-u', 'nobody', `127.0.0.1:${sink}`, '1000'], {
      stdio: 'ignore',
    })
    ends.push(async () => void sinking.kill())
    const client = new pg.Client({ connectionString: database.ownerUrl })
    await client.connect()
    ends.push(() => client.end())
    await client.query(
      `insert into mail.senders (id, account_id, email) values (1, 1, 'shop@bench.test') on conflict do nothing`
    )
    const ours = { client, sink, url: env.MAIL_DATABASE_URL! }
    say(`${MESSAGE_COUNT} messages of ${MESSAGE_BYTES} bytes, ours and Postfix`)
    const found = await interleave(rounds, {
      signed: () => drain({ ...ours, direct: false, stopped: 0 }),
      unsigned: () => drain({ ...ours, direct: false, stopped: 0, unsigned: true }),
      postfix: () => drainPostfix(sink),
    })
    say('a stopped destination beside them')
    const fair = await interleave(rounds, {
      alone: () => drain({ ...ours, direct: true, stopped: 0 }),
      beside: () => drain({ ...ours, direct: true, stopped: MESSAGE_COUNT }),
    })
    return [
      resultRow({
        case: 'drain to a sink',
        unit: 'messages/s',
        ours: median(found.unsigned),
        against: median(found.postfix),
        reference: 'Postfix',
        goal: '>= 1.5x',
      }),
      resultRow({
        case: 'drain to a sink, signed',
        unit: 'messages/s',
        ours: median(found.signed),
        against: median(found.postfix),
        reference: 'Postfix, unsigned',
        goal: '',
      }),
      resultRow({
        case: 'drain beside a stopped destination',
        unit: 'messages/s',
        ours: median(fair.beside),
        against: median(fair.alone),
        reference: 'the same without it',
        goal: '>= 0.9x',
      }),
    ]
  } finally {
    for (const end of ends.reverse()) await end()
  }
}

interface Ours {
  client: pg.Client
  sink: number
  url: string
  /** Whether messages go directly to the recipients' servers. Otherwise they go to a relay. */
  direct: boolean
  unsigned?: boolean
  /** Number of additional messages to a server that accepts connections but never responds. */
  stopped: number
}

/**
 * Returns the number of delivered messages per second. Measures from the time at which the process is ready until the
 * row of the last message is updated.
 */
async function drain({ client, sink, url, direct, unsigned, stopped }: Ours): Promise<number> {
  await client.query('truncate mail.messages, mail.contents, mail.attempts, mail.events cascade')
  await fill(client, MESSAGE_COUNT, 'there.test')
  await fill(client, stopped, 'stopped.test')
  await client.query('vacuum analyze mail.messages')
  const silent = createServer(() => {})
  await new Promise<void>((done) => silent.listen(sink, '127.0.0.2', done))
  const child = fork(join(installRoot, 'bench/mail/drain_process.ts'), {
    execArgv: typescriptLoaderArgs,
    env: {
      PATH: process.env.PATH,
      MAIL_DATABASE_URL: url,
      SINK_PORT: String(sink),
      BENCH_LOG: process.env.BENCH_LOG,
      ...(direct && { DIRECT: 'yes' }),
      ...(unsigned && { UNSIGNED: 'yes' }),
    },
  })
  await once(child, 'message')
  const started = performance.now()
  for (;;) {
    const { rows } = await client.query<{ left: boolean }>(
      `select exists (select 1 from mail.messages where destination = 'there.test'
         and state in ('scheduled', 'queued', 'sending')) as left`
    )
    if (!rows[0]!.left) break
    await wait(10)
  }
  const took = performance.now() - started
  child.kill('SIGKILL')
  await once(child, 'exit')
  silent.close()
  return MESSAGE_COUNT / (took / 1000)
}

async function fill(client: pg.Client, count: number, destination: string): Promise<void> {
  const head = `From: shop@bench.test\r\nTo: p@${destination}\r\nSubject: Words\r\n`
  const body = `${'x'.repeat(76)}\r\n`.repeat(Math.floor(MESSAGE_BYTES / 78))
  await client.query(
    `with made as (select gen_random_uuid() as id, gen_random_uuid() as content, n from generate_series(1, $1::int) n),
     kept as (
       insert into mail.contents (id, raw)
       select content, convert_to($2 || 'Message-ID: <' || id || E'@bench.test>\\r\\n\\r\\n' || $3, 'UTF8') from made
     )
     insert into mail.messages (id, sender_id, account_id, state, recipient, destination, subject, next_at, expires_at, content_id)
     select id, 1, 1, 'queued', 'p' || n || '@' || $4, $4, 'Words', now(), now() + interval '1 day', content from made`,
    [count, head, body, destination]
  )
}

/**
 * Returns the number of delivered messages per second. Measures from the release of Postfix's hold queue until the
 * queue is empty.
 */
async function drainPostfix(sink: number): Promise<number> {
  const postfix = await startPostfix({
    domains: [],
    users: [],
    tls: false,
    reports: sink,
    settings: {
      mynetworks: '127.0.0.0/8',
      smtpd_relay_restrictions: 'permit_mynetworks, reject',
      smtpd_recipient_restrictions: 'check_client_access static:HOLD, permit_mynetworks, reject',
      // Allows Postfix as many connections as Berth uses, and lets it hold all messages in its active queue at once.
      default_destination_concurrency_limit: '10',
      initial_destination_concurrency: '10',
      qmgr_message_active_limit: '20000',
      smtp_connection_cache_on_demand: 'yes',
    },
  })
  try {
    const { folder } = postfix
    const target = `127.0.0.1:${postfix.port}`
    const source = [
      '-s',
      '10',
      '-m',
      String(MESSAGE_COUNT),
      '-l',
      String(MESSAGE_BYTES),
      '-f',
      'shop@bench.test',
    ]
    await runProgram([SMTP_SOURCE_PATH, ...source, '-t', 'p@there.test', target])
    const held = await countIn(join(folder, 'queue/hold'))
    if (held !== MESSAGE_COUNT) throw new Error(`Postfix holds ${held} messages`)
    const started = performance.now()
    await runProgram(['postsuper', '-c', join(folder, 'etc'), '-H', 'ALL'])
    await runProgram(['postqueue', '-c', join(folder, 'etc'), '-f'])
    const places = ['hold', 'deferred', 'incoming', 'active'].map((at) => join(folder, 'queue', at))
    for (;;) {
      const left = await Promise.all(places.map(countIn))
      if (left.every((count) => count === 0)) break
      await wait(20)
    }
    return MESSAGE_COUNT / ((performance.now() - started) / 1000)
  } finally {
    await postfix.stop()
  }
}

async function countIn(folder: string): Promise<number> {
  const found = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  return found.filter((entry) => entry.isFile()).length
}
