import { interleave, median, resultRow, measureMs, type Bench } from './measurement.js'
import { runDumpImport } from '#databases/mysql/transfer/run_dump_import'
import { buildDumpArgs, openDumpStream } from '#databases/mysql/transfer/dump_stream'
import type { Server } from '#databases/servers/server'
import { LocalMachine } from '#packages/machine/main'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)
const rounds = Number(process.env.ROUNDS ?? 3)
/** Size of the SQL dump in megabytes. */
const size = Number(process.env.SIZE ?? 1_000)
/** Size of a larger dump in megabytes, which shows whether memory use grows with the size. Skipped if at most SIZE. */
const large = Number(process.env.LARGE ?? 5_000)

/**
 * `databases` (docs/benchmarks.md): imports into MariaDB and exports from it. Compared with MariaDB's own client
 * programs, on the same machine and the same server. Berth's import also filters the SQL. Not measured: the replacement
 * of a database after its import, which renames tables, whatever their size.
 */
const bench: Bench = {
  name: 'databases',
  async run({ say }) {
    const folder = await mkdtemp(join(tmpdir(), 'berth-bench-'))
    const data = join(folder, 'data')
    const socket = join(folder, 'sock')
    const user = `--user=${userInfo().username}`
    await run('mariadb-install-db', [
      '--no-defaults',
      user,
      `--datadir=${data}`,
      '--skip-test-db',
      '--auth-root-authentication-method=normal',
    ])
    const daemon = spawn(
      'mariadbd',
      [
        '--no-defaults',
        user,
        `--datadir=${data}`,
        `--socket=${socket}`,
        '--skip-networking',
        '--innodb-buffer-pool-size=256M',
      ],
      { stdio: 'ignore', env: { PATH: `${process.env.PATH}:/usr/sbin` } }
    )
    const sql = (text: string) =>
      run('mariadb', [
        '--no-defaults',
        `--socket=${socket}`,
        '-uroot',
        '--default-character-set=utf8mb4',
        '-e',
        text,
      ])
    const machine = new LocalMachine()
    const server: Server = {
      engine: 'mysql',
      accountId: 0,
      instance: null,
      machine,
      prefix: '',
      clientArgs: [`--socket=${socket}`],
    }
    const account = { user: 'root', password: '' }
    const file = join(folder, 'dump.sql')
    try {
      for (let tries = 0; ; tries++) {
        const up = await sql('SELECT 1').catch(() => null)
        if (up) break
        if (tries > 300) throw new Error('MariaDB does not start')
        await sleep(200)
      }
      say(`a database of about ${size} MB`)
      await sql(
        'CREATE DATABASE source CHARACTER SET utf8mb4; CREATE DATABASE target CHARACTER SET utf8mb4'
      )
      await fill(sql, size)
      const plain = async () => {
        const args = buildDumpArgs(server, 'root', 'source')
        const child = spawn('mariadb-dump', args, { stdio: ['ignore', 'pipe', 'inherit'] })
        await pipeline(child.stdout, createWriteStream(file))
      }
      await plain()
      const megabytes = (await stat(file)).size / 1e6
      const peaks = { console: 0, filter: 0 }
      const watched = async (work: () => Promise<unknown>) => {
        global.gc?.()
        const before = process.memoryUsage().rss
        const timer = setInterval(() => {
          peaks.console = Math.max(peaks.console, process.memoryUsage().rss - before)
          void peakOfFilter().then((bytes) => (peaks.filter = Math.max(peaks.filter, bytes)))
        }, 200)
        await work().finally(() => clearInterval(timer))
      }
      const memory = (what: string) => [
        resultRow({
          case: `${what}: the console grows by`,
          unit: 'MB',
          goal: '<= 64',
          ours: peaks.console / 1e6,
        }),
        resultRow({
          case: `${what}: memory of the filter`,
          unit: 'MB',
          ours: peaks.filter / 1e6,
        }),
      ]
      say('out')
      const sink = async (stream: NodeJS.ReadableStream) => {
        for await (const chunk of stream) void chunk
      }
      const exported = await interleave(rounds, {
        ours: () =>
          measureMs(() =>
            watched(async () =>
              sink(
                await openDumpStream(server, 'source', { account, damaged: [], acceptsMore: false })
              )
            )
          ),
        theirs: () =>
          measureMs(async () => {
            const args = buildDumpArgs(server, 'root', 'source')
            const child = spawn('mariadb-dump', args, { stdio: ['ignore', 'pipe', 'inherit'] })
            await sink(child.stdout)
          }),
      })
      say('in')
      const anew = () => sql('DROP DATABASE target; CREATE DATABASE target CHARACTER SET utf8mb4')
      const ours = async () => {
        await anew()
        const asked = {
          file,
          filename: 'dump.sql',
          collations: [],
          maxPacket: 16 * 1024 ** 2,
          doing: 'Importing',
          report: async () => {},
        }
        const into = { database: 'target', account }
        return measureMs(() => watched(() => runDumpImport(server, { ...asked, into })))
      }
      const imported = await interleave(rounds, {
        ours,
        theirs: async () => {
          await anew()
          return measureMs(async () => {
            const input = await open(file)
            const args = ['--no-defaults', `--socket=${socket}`, '-uroot', 'target']
            const child = spawn('mariadb', args, { stdio: [input.fd, 'ignore', 'inherit'] })
            await once(child, 'close')
            await input.close()
          })
        },
      })
      const speed = (times: number[]) => megabytes / (median(times) / 1_000)
      const compared = (
        name: string,
        times: { ours: number[]; theirs: number[] },
        reference: string
      ) =>
        resultRow({
          case: `${name} ${Math.round(megabytes)} MB`,
          unit: 'MB/s',
          reference,
          ours: speed(times.ours),
          against: speed(times.theirs),
          goal: '>= 0.95x',
        })
      const rows = [
        compared('export', exported, 'mariadb-dump'),
        compared('import', imported, 'mariadb <'),
        ...memory(`in and out ${Math.round(megabytes)} MB`),
      ]
      if (large > size) {
        say(`in, about ${large} MB`)
        await anew()
        await fill(sql, large - size)
        await plain()
        peaks.console = peaks.filter = 0
        const [ms, { size: bytes }] = [await ours(), await stat(file)]
        const what = `import ${Math.round(bytes / 1e6)} MB`
        rows.push(resultRow({ case: what, unit: 'MB/s', ours: bytes / 1e3 / ms }), ...memory(what))
      }
      return rows
    } finally {
      await machine.close()
      daemon.kill('SIGKILL')
      if (daemon.exitCode === null && daemon.signalCode === null) await once(daemon, 'exit')
      await rm(folder, { recursive: true, force: true })
    }
  },
}

export default bench

/** Creates rows like those of a shop: numbers, dates, long texts, and some text that is not ASCII. */
async function fill(sql: (text: string) => Promise<unknown>, size: number): Promise<void> {
  await sql(`USE source; CREATE TABLE IF NOT EXISTS orders (
    id INT AUTO_INCREMENT PRIMARY KEY, customer INT, made DATETIME, state VARCHAR(20),
    note TEXT, extra VARBINARY(40), KEY (customer))`)
  const one = `SELECT NULL, seq % 9000, '2026-01-01' + INTERVAL seq MINUTE, 'sent',
    CONCAT(REPEAT(CONCAT('it''s order ', seq, ' — ভাষা. '), 8), MD5(seq)), UNHEX(MD5(seq)) FROM source_numbers`
  await sql(
    `USE source; CREATE OR REPLACE TABLE seed (d INT); INSERT INTO seed VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)`
  )
  const numbers =
    '(SELECT a.d + 10*b.d + 100*c.d + 1000*e.d + 10000*f.d AS seq FROM seed a, seed b, seed c, seed e, seed f) AS source_numbers'
  // Each statement adds about 41 MB of SQL.
  for (let done = 0; done < size; done += 41) {
    await sql(`USE source; INSERT INTO orders ${one.replace('source_numbers', numbers)}`)
  }
}

/** Returns the peak memory of the filter, a child process, in bytes. Returns 0 if the filter is not running. */
async function peakOfFilter(): Promise<number> {
  let most = 0
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      const status = await readFile(`/proc/${pid}/status`, 'utf8')
      if (
        !status.includes(`PPid:\t${process.pid}\n`) ||
        !/^Name:\t(?:node|MainThread)/.test(status)
      )
        continue
      most = Math.max(most, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024)
    } catch {
      // Ignores processes that have ended in the meantime.
    }
  }
  return most
}
