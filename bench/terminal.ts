import { spawn, type ChildProcess } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import WebSocket from 'ws'
import { Incus } from '../packages/incus/main.ts'
import { IncusMachine, SshMachine, type Machine } from '../packages/machine/main.ts'
import { startSshd, type TestSshd } from '../packages/machine/tests/sshd.ts'
import { createGateway } from '../packages/terminal-gateway/main.ts'
import { ACK_EVERY_BYTES } from '../packages/terminal-gateway/protocol.ts'
import { interleave, median, percentile, row, timed, type Bench, type Row } from './frame.ts'

/** Small runs: ROUNDS=1 MEGABYTES=5 KEYS=50 SESSIONS=10 CASES=throughput,echo,crowd,flood PEERS=no. */
const rounds = Number(process.env.ROUNDS ?? 5)
const megabytes = Number(process.env.MEGABYTES ?? 200)
const keys = Number(process.env.KEYS ?? 300)
const sessions = Number(process.env.SESSIONS ?? 100)
const only = process.env.CASES?.split(',')
const patience = 120_000

type Say = (line: string) => void

/** One open terminal, whatever carries it. */
interface Line {
  write(data: string): void
  onData: (chunk: Buffer) => void
  close(): void
}

/** Ends everything that was started, the last first. */
class Ends {
  private readonly ends: (() => unknown)[] = []
  add(end: () => unknown) {
    this.ends.push(end)
  }
  async all() {
    for (const end of this.ends.reverse()) await end()
  }
}

export default {
  name: 'terminal',
  async run({ say }) {
    const ends = new Ends()
    try {
      return await measure(say, ends)
    } finally {
      await ends.all()
    }
  },
} satisfies Bench

async function measure(say: Say, ends: Ends): Promise<Row[]> {
  const sshd = await startSshd(['MaxStartups 200:30:400', 'MaxSessions 200'])
  ends.add(() => sshd.stop())
  // The same path on both machines; what is below /tmp goes when a container starts.
  const folder = await mkdtemp('/var/tmp/berth-bench-')
  ends.add(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  const file = join(folder, 'text')
  const hash = await writeText(file, megabytes)
  const keyFile = join(sshd.folder, 'key')
  await writeFile(keyFile, sshd.target.privateKey, { mode: 0o600 })

  const machine = new SshMachine(sshd.target)
  ends.add(() => machine.close())
  const gateway = await serve({ ssh: machine, ...(await incusMachine(file, say, ends)) })
  ends.add(() => gateway.close())

  const carriers: Record<string, () => Promise<Line>> = {
    ssh: () => plainSsh(sshd, keyFile),
    ours: () => gateway.open('ssh'),
    ...(gateway.has('incus') && { 'ours (Incus)': () => gateway.open('incus') }),
    ...(await peers(sshd, keyFile, say, ends)),
  }
  const cases: Record<string, () => Promise<Row[]>> = {
    throughput: () => throughput(carriers, file, hash, say),
    echo: () => echoes(carriers, say),
    crowd: () => crowd(carriers.ours, gateway, say),
    flood: () => flood(gateway, say),
  }
  const rows: Row[] = []
  for (const [name, run] of Object.entries(cases)) {
    if (!only || only.includes(name)) rows.push(...(await run()))
  }
  return rows
}

/** Lines of printable text, which no terminal changes but for its line ends. */
async function writeText(file: string, size: number): Promise<string> {
  const out = createWriteStream(file)
  const hash = createHash('sha256')
  for (let written = 0; written < size; written++) {
    const text = randomBytes(512 * 1024).toString('hex')
    const lines = text.match(/.{1,99}/g)!.join('\n') + '\n'
    hash.update(lines.replaceAll('\n', '\r\n'))
    if (!out.write(lines)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'finish')
  return hash.digest('hex')
}

/** Between these two everything is counted; written so that the echo of the command has neither. */
const BEGIN = 'berth-begin-42\r\n'
const END = 'berth-end-42\r\n'

function transfer(line: Line, file: string): Promise<{ bytes: number; digest: string }> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The terminal stopped')), patience)
    const hash = createHash('sha256')
    let held: Buffer = Buffer.alloc(0)
    let begun = false
    let bytes = 0
    line.onData = (chunk) => {
      held = held.length ? Buffer.concat([held, chunk]) : chunk
      if (!begun) {
        const at = held.indexOf(BEGIN)
        if (at === -1) return
        begun = true
        held = held.subarray(at + BEGIN.length)
      }
      const end = held.indexOf(END)
      const upTo = end === -1 ? Math.max(0, held.length - END.length) : end
      hash.update(held.subarray(0, upTo))
      bytes += upTo
      held = held.subarray(upTo)
      if (end === -1) return
      clearTimeout(timer)
      resolve({ bytes, digest: hash.digest('hex') })
    }
    line.write(`echo berth-begin-$((40+2)); cat ${file}; echo berth-end-$((40+2))\r`)
  })
}

async function throughput(
  carriers: Record<string, () => Promise<Line>>,
  file: string,
  hash: string,
  say: Say
): Promise<Row[]> {
  const intact: Record<string, boolean> = {}
  const works = Object.entries(carriers).map(([name, open]) => [
    name,
    async () => {
      const line = await open()
      try {
        let sent = { bytes: 0, digest: '' }
        const ms = await timed(async () => (sent = await transfer(line, file)))
        intact[name] = sent.digest === hash
        say(`${name}: ${(sent.bytes / 1e3 / ms).toFixed(1)} MB/s`)
        return sent.bytes / 1e3 / ms
      } finally {
        line.close()
      }
    },
  ])
  const speeds = await interleave(rounds, Object.fromEntries(works))
  const speed = (name: string) => median(speeds[name])
  const rows = [
    row({
      case: `${megabytes} MB, SSH`,
      unit: 'MB/s',
      ours: speed('ours'),
      against: speed('ssh'),
      reference: 'ssh -tt',
      goal: '>= 0.85x',
    }),
  ]
  if (carriers['ours (Incus)']) {
    rows.push(
      row({
        case: `${megabytes} MB, Incus`,
        unit: 'MB/s',
        ours: speed('ours (Incus)'),
        against: speed('ssh'),
        reference: 'ssh -tt',
        goal: '>= 0.9x',
      })
    )
  }
  for (const peer of ['WeTTY', 'shellinabox', 'Cockpit'].filter((name) => carriers[name])) {
    rows.push(
      row({
        case: `${megabytes} MB, SSH`,
        unit: 'MB/s',
        ours: speed('ours'),
        against: speed(peer),
        reference: peer,
        goal: peer === 'WeTTY' ? '>= 2x' : '',
      })
    )
  }
  const ours = Object.keys(carriers).filter((name) => name.startsWith('ours'))
  rows.push(
    row({
      case: 'hash of what came equal',
      unit: 'of ours',
      ours: ours.filter((name) => intact[name]).length,
      goal: `= ${ours.length}`,
    })
  )
  return rows
}

/** Milliseconds from a key to its echo, many times, in a shell at rest. */
async function echo(line: Line, count: number): Promise<number[]> {
  const times: number[] = []
  line.write("stty -echo 2>/dev/null; PS1=''; clear; exec cat\r")
  await settle(line)
  line.write('')
  for (let key = 0; key < count; key++) {
    // cat gives each line back: one way in, one way out, nothing drawn by the shell.
    const text = `k${key}.`
    times.push(
      await timed(async () => {
        const seen = until(line, text)
        line.write(`${text}\r`)
        await seen
      })
    )
  }
  return times
}

function until(line: Line, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`No echo of ${text}`)), patience)
    let seen = ''
    line.onData = (chunk) => {
      seen = (seen + chunk.toString('latin1')).slice(-4096)
      if (!seen.includes(text)) return
      clearTimeout(timer)
      resolve()
    }
  })
}

/** Until nothing has come for a while. */
function settle(line: Line, quiet = 300): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, quiet)
    line.onData = () => {
      clearTimeout(timer)
      timer = setTimeout(resolve, quiet)
    }
  })
}

async function echoes(carriers: Record<string, () => Promise<Line>>, say: Say): Promise<Row[]> {
  const p99s: Record<string, number> = {}
  for (const [name, open] of Object.entries(carriers)) {
    const line = await open()
    try {
      p99s[name] = percentile(await echo(line, keys), 99)
      say(`${name}: echo p99 ${p99s[name].toFixed(2)} ms`)
    } catch (error) {
      say(`${name}: no echo (${(error as Error).message})`)
    } finally {
      line.close()
    }
  }
  return Object.keys(p99s)
    .filter((name) => name !== 'ours')
    .map((name) =>
      row({
        case: name === 'ssh' ? 'echo p99' : `echo p99 of ${name}`,
        unit: 'ms',
        ours: name.startsWith('ours') ? p99s[name] : p99s.ours,
        against: name.startsWith('ours') ? p99s.ssh : p99s[name],
        reference: name.startsWith('ours') ? 'ssh -tt' : name,
        goal: name === 'ssh' || name.startsWith('ours') ? `<= ${(p99s.ssh + 2).toFixed(2)}` : '',
      })
    )
}

/** Many open sessions: echo of one of them, memory of each; then one of them floods. */
async function crowd(open: () => Promise<Line>, gateway: Served, say: Say): Promise<Row[]> {
  const before = process.memoryUsage.rss()
  const lines: Line[] = []
  try {
    for (let count = 0; count < sessions; count++) lines.push(await open())
    const each = (process.memoryUsage.rss() - before) / sessions / 1024 ** 2
    const [mine, flooding] = lines
    const calm = percentile(await echo(mine, keys), 99)
    flooding.onData = () => {}
    flooding.write('yes berth\r')
    const disturbed: number[] = []
    for (let key = 0; key < keys; key++) {
      const text = `f${key}.`
      const seen = until(mine, text)
      disturbed.push(
        await timed(async () => {
          mine.write(`${text}\r`)
          await seen
        })
      )
    }
    say(`${gateway.size()} sessions open`)
    return [
      row({
        case: `memory of each of ${sessions} sessions`,
        unit: 'MB',
        ours: Math.max(0, each),
        goal: '<= 1',
      }),
      row({
        case: 'echo p99 while another floods',
        unit: 'ms',
        ours: percentile(disturbed, 99),
        against: calm,
        reference: 'the same, calm',
        goal: '<= 1.5x',
      }),
    ]
  } finally {
    for (const line of lines) line.close()
  }
}

/** From Ctrl-C to the prompt while `yes` runs, in a fast browser and in one of 2 MB/s. */
async function flood(gateway: Served, say: Say): Promise<Row[]> {
  const rows: Row[] = []
  for (const [words, speed, goal] of [
    ['fast browser', Infinity, '<= 100'],
    ['browser of 2 MB/s', 2, '<= 300'],
  ] as const) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const line = await gateway.open('ssh', speed)
      line.write("PS1='prompt-''$ '; yes berth\r")
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      times.push(
        await timed(async () => {
          const seen = until(line, 'prompt-$')
          line.write('\x03')
          await seen
        })
      )
      line.close()
    }
    say(`Ctrl-C, ${words}: ${median(times).toFixed(0)} ms`)
    rows.push(
      row({ case: `Ctrl-C under a flood, ${words}`, unit: 'ms', ours: median(times), goal })
    )
  }
  return rows
}

interface Served {
  /** A terminal as a browser has it; `speed` in MB/s is how fast it draws. */
  open(kind: 'ssh' | 'incus', speed?: number): Promise<Line>
  has(kind: string): boolean
  size(): number
  close(): Promise<void>
}

async function serve(machines: Record<string, Machine>): Promise<Served> {
  const gateway = createGateway({
    allowedOrigins: () => true,
    authenticate: async () => ({ personId: 'bench' }),
    maxPerPerson: sessions + 10,
    maxPerMachine: sessions + 10,
    redeem: async (kind) => ({
      id: kind,
      personId: 'bench',
      machineId: kind,
      label: kind,
      open: (size) => machines[kind].shell({ ...size, argv: ['sh'] }),
      onClosed: () => {},
    }),
  })
  const port = await gateway.listen(0, '127.0.0.1')
  return {
    has: (kind) => kind in machines,
    size: () => gateway.size,
    close: () => gateway.close(),
    async open(kind, speed = Infinity) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`, { origin: 'http://bench' })
      await once(socket, 'open')
      const send = (message: object) => socket.send(JSON.stringify(message))
      const line: Line = {
        onData: () => {},
        write: (data) => data && send({ type: 'message', data }),
        close: () => socket.terminate(),
      }
      const ready = new Promise<void>((resolve, reject) => {
        const draw = drawing(speed, (bytes) => {
          if (socket.readyState === socket.OPEN) send({ type: 'ack', bytes })
        })
        socket.on('message', (data: Buffer, binary: boolean) => {
          if (binary) return draw(data.length, () => line.onData(data))
          const { type, reason } = JSON.parse(data.toString())
          if (type === 'ready') resolve()
          if (type === 'closed') reject(new Error(reason))
        })
      })
      send({ type: 'credentials', privateKey: kind, cols: 100, rows: 30 })
      await ready
      return line
    },
  }
}

/** Draws at a speed (MB/s) and acknowledges as the page does. */
function drawing(speed: number, acknowledge: (bytes: number) => void) {
  let owed = 0
  let busyUntil = 0
  let waiting = 0
  return (bytes: number, drawn: () => void) => {
    waiting += bytes
    const done = () => {
      drawn()
      waiting -= bytes
      owed += bytes
      if (waiting > 0 && owed < ACK_EVERY_BYTES) return
      acknowledge(owed)
      owed = 0
    }
    if (speed === Infinity) return done()
    busyUntil = Math.max(busyUntil, performance.now()) + bytes / (speed * 1e3)
    setTimeout(done, busyUntil - performance.now())
  }
}

/** `ssh -tt` with pipes: what a person's own terminal would get. */
async function plainSsh(sshd: TestSshd, keyFile: string): Promise<Line> {
  const { host, port, username } = sshd.target
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'ControlMaster=no',
  ]
  const child = spawn(
    'ssh',
    [
      ...['-tt', '-F', 'none', '-i', keyFile, '-p', String(port)],
      ...options.flatMap((option) => ['-o', option]),
      ...[`${username}@${host}`, 'stty sane; exec sh'],
    ],
    { stdio: ['pipe', 'pipe', 'ignore'] }
  )
  const line: Line = {
    onData: () => {},
    write: (data) => child.stdin.write(data),
    close: () => child.kill('SIGKILL'),
  }
  child.stdout.on('data', (chunk: Buffer) => line.onData(chunk))
  child.stdin.on('error', () => {})
  await once(child.stdout, 'data')
  await settle(line)
  return line
}

/** A container of the base image with the text in it, where there is an Incus. */
async function incusMachine(file: string, say: Say, ends: Ends): Promise<{ incus?: Machine }> {
  const socket = process.env.INCUS_SOCKET
  if (!socket || !existsSync(socket)) {
    say('No INCUS_SOCKET: the machine over Incus is left out')
    return {}
  }
  const incus = Incus.local(socket)
  const name = `bench-terminal-${randomBytes(4).toString('hex')}`
  const created = await incus.instances.create({
    name,
    image: 'berth-base',
    start: true,
  })
  await created.wait()
  ends.add(async () => {
    const stopped = await incus.instances.setState(name, 'stop', { force: true })
    await stopped.wait()
    const deleted = await incus.instances.delete(name)
    await deleted.wait()
    await incus.close()
  })
  const machine = new IncusMachine(incus.instances, name)
  ends.add(() => machine.close())
  await machine.exec(['mkdir', '-p', join(file, '..')])
  await machine.files.writeFile(file, await readFile(file))
  return { incus: machine }
}

/** The other web terminals; one that cannot be installed here is left out, and said so. */
async function peers(
  sshd: TestSshd,
  keyFile: string,
  say: Say,
  ends: Ends
): Promise<Record<string, () => Promise<Line>>> {
  const found: Record<string, () => Promise<Line>> = {}
  if (process.env.PEERS === 'no') return found
  const login = join(sshd.folder, 'login')
  const { host, port, username } = sshd.target
  await writeFile(
    login,
    `#!/bin/sh\nexec ssh -tt -F none -i ${keyFile} -p ${port} -o StrictHostKeyChecking=no ` +
      `-o UserKnownHostsFile=/dev/null -o LogLevel=ERROR ${username}@${host} 'stty sane; exec sh'\n`
  )
  await chmod(login, 0o755)
  for (const [name, prepare] of [
    ['WeTTY', wetty],
    ['shellinabox', shellinabox],
  ] as const) {
    try {
      say(`Installing ${name}`)
      const open = await prepare(login, ends)
      ;(await open()).close()
      found[name] = open
    } catch (error) {
      say(`${name} is left out: ${(error as Error).message}`)
    }
  }
  return found
}

/** WeTTY from npm, in a folder of its own; it speaks socket.io over one WebSocket. */
async function wetty(login: string, ends: Ends): Promise<() => Promise<Line>> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-wetty-'))
  ends.add(() => rm(folder, { recursive: true, force: true }))
  // What it brings built is for another Node; without headers of this one it does not start.
  const headers = join(dirname(await realpath(process.execPath)), '..')
  const env = { ...process.env, npm_config_nodedir: headers }
  await must('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, 'wetty@2.7.0'], env)
  await must('npm', ['rebuild', '--prefix', folder], env)
  const port = await freePort()
  const entry = join(folder, 'node_modules/wetty/build/main.js')
  const argv = ['--host', '127.0.0.1', '--port', String(port), '--base', '/', '--command', login]
  const child = spawn(process.execPath, [entry, ...argv], { stdio: 'ignore', cwd: folder })
  ends.add(() => child.kill('SIGKILL'))
  await listening(port, child)
  return async () => {
    const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`
    const socket = new WebSocket(url, { origin: `http://127.0.0.1:${port}` })
    const line: Line = {
      onData: () => {},
      write: (data) => data && socket.send(`42${JSON.stringify(['input', data])}`),
      close: () => socket.terminate(),
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('it does not answer')), 20_000)
      socket.on('error', reject)
      socket.on('message', (raw: Buffer) => {
        const text = raw.toString()
        if (text.startsWith('0')) socket.send('40')
        if (text === '2') socket.send('3')
        if (text.startsWith('40')) {
          clearTimeout(timer)
          socket.send(`42${JSON.stringify(['resize', { cols: 100, rows: 30 }])}`)
          resolve()
        }
        if (!text.startsWith('42')) return
        const [event, data] = JSON.parse(text.slice(2)) as [string, string]
        if (event !== 'data') return
        line.onData(Buffer.from(data))
        socket.send(`42${JSON.stringify(['commit', Buffer.byteLength(data)])}`)
      })
    })
    await settle(line)
    return line
  }
}

/** shellinabox from Debian; its page asks by long polling. */
async function shellinabox(login: string, ends: Ends): Promise<() => Promise<Line>> {
  if (!existsSync('/usr/bin/shellinaboxd')) {
    await must('apt-get', ['install', '-y', '--no-install-recommends', 'shellinabox'])
  }
  const port = await freePort()
  const service = `/:root:root:/:${login}`
  const argv = ['--disable-ssl', '--localhost-only', '-p', String(port), '-s', service]
  const child = spawn('shellinaboxd', argv, { stdio: 'ignore', cwd: tmpdir() })
  ends.add(() => child.kill('SIGKILL'))
  await listening(port, child)
  const post = async (fields: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${port}/?`, {
      method: 'POST',
      body: new URLSearchParams({ width: '100', height: '30', ...fields }),
    })
    return (await response.json()) as { session: string; data: string }
  }
  return async () => {
    const { session } = await post({ rooturl: `http://127.0.0.1:${port}/` })
    let open = true
    const line: Line = {
      onData: () => {},
      write: (data) => {
        const codes = Buffer.from(data).toString('hex')
        if (data) void post({ session, keys: codes }).catch(() => {})
      },
      close: () => (open = false),
    }
    const poll = async () => {
      while (open) {
        const { data } = await post({ session })
        if (data) line.onData(Buffer.from(data, 'latin1'))
      }
    }
    void poll().catch(() => {})
    await settle(line)
    return line
  }
}

async function must(program: string, argv: string[], env = process.env): Promise<void> {
  const child = spawn(program, argv, { stdio: 'ignore', env })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${argv[0]} ended with ${code}`)
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + 30_000; Date.now() < deadline;) {
    if (child.exitCode !== null) throw new Error('it ended at once')
    const up = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true))
      socket.on('connect', () => socket.destroy())
      socket.on('error', () => resolve(false))
    })
    if (up) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('it does not listen')
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
