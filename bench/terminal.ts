/**
 * Benchmark of the terminal gateway. Compares it with plain ssh and with other web terminals, all connected to one
 * sshd. The gateway, and the client that reads a flood of output, run in separate processes. If a case fails or takes
 * too long, its row says so. Variables for shorter runs, with their defaults: ROUNDS (5), MEGABYTES (200), KEYS (500),
 * SESSIONS (100), CASES (throughput,echo,crowd,flood). PEERS=no skips the other web terminals, INCUS=no skips Incus.
 * PROFILE=folder saves a CPU profile in that folder.
 */
import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openHome } from '../cli/berth_home.ts'
import { CleanupStack } from '../cli/cleanup_stack.ts'
import { startIncusHost } from '../cli/incus_host.ts'
import { typescriptLoaderArgs, installRoot } from '../cli/paths.ts'
import { Incus } from '../packages/incus/main.ts'
import { IncusMachine } from '../packages/machine/main.ts'
import { startSshd } from '../packages/machine/tests/sshd.ts'
import {
  interleave,
  median,
  percentile,
  resultRow,
  measureMs,
  type Bench,
  type ResultRow,
} from './measurement.ts'
import type { GatewayTask } from './terminal/gateway.ts'
import {
  CleanUps,
  plainIncus,
  plainSsh,
  waitForSilence,
  startGateway,
  waitForText,
  withTimeout,
  type TerminalClient,
  type OpenTerminal,
  type GatewayProcess,
} from './terminal/terminal_clients.ts'
import { startPeers } from './terminal/other_web_terminals.ts'

const rounds = Number(process.env.ROUNDS ?? 5)
const megabytes = Number(process.env.MEGABYTES ?? 200)
const keys = Number(process.env.KEYS ?? 500)
const sessions = Number(process.env.SESSIONS ?? 100)
const only = process.env.CASES?.split(',')
/** Time limit of each case in seconds. */
const patience = { throughput: 300, echo: 90, crowd: 90, flood: 90 }
/** Speed at which a very fast browser draws a terminal. xterm.js in Chromium draws 5 to 35 MB/s. */
const FAST_BROWSER_MB_PER_SECOND = 35
/** Half a frame of a 60 Hz screen. Nobody notices a delay of this length. */
const HALF_A_FRAME_MS = 8

type Say = (line: string) => void

export default {
  name: 'terminal',
  async run({ say }) {
    const life = new CleanupStack()
    const ends = new CleanUps()
    let rows: ResultRow[] = []
    const stopped = await life.during(async () => {
      const socket = process.env.INCUS === 'no' ? undefined : await incusSocket(life)
      // Registered after the host's clean-up, so that it is called before the host is stopped.
      life.atEnd(() => ends.all())
      rows = await measure(say, socket, ends)
    })
    if (stopped) process.exit(130)
    return rows
  },
} satisfies Bench

interface Text {
  file: string
  megabytes: number
  /** SHA-256 of the text as a terminal prints it, with CRLF line ends. */
  hash: string
}

interface Place {
  carriers: Record<string, OpenTerminal>
  gateway: GatewayProcess
  text: Text
  /** A shorter text, for terminals that would need minutes for the whole text. */
  little: Text
  say: Say
  /** Clean-up functions for everything that a case has started. They run after the case, even if it fails. */
  ends: CleanUps
}

async function measure(say: Say, socket: string | undefined, ends: CleanUps): Promise<ResultRow[]> {
  const sshd = await startSshd(['MaxStartups 200:30:400', 'MaxSessions 200'])
  ends.add(() => sshd.stop())
  // The folder must have the same path on this machine and in the container. It is not below /tmp, because a container
  // empties /tmp when it starts.
  const folder = await mkdtemp('/var/tmp/berth-bench-')
  ends.add(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o755)
  const text = await writeText(join(folder, 'text'), megabytes)
  const little = await writeText(join(folder, 'little'), Math.ceil(megabytes / 20))
  const keyFile = join(sshd.folder, 'key')
  await writeFile(keyFile, sshd.target.privateKey, { mode: 0o600 })

  const incus = await incusMachine(text.file, socket, ends)
  if (!incus) say('There is no Incus: the machine over Incus is left out')
  const gateway = await startGateway({ ssh: sshd.target, incus, sessions: sessions + 10 })
  ends.add(() => gateway.close())
  const carriers: Record<string, OpenTerminal> = {
    ssh: () => plainSsh(sshd, keyFile),
    ours: () => gateway.open('ssh'),
    ...(incus && {
      'incus exec': () => plainIncus(incus),
      'ours (Incus)': () => gateway.open('incus'),
    }),
    ...(process.env.PEERS !== 'no' && (await startPeers(sshd, keyFile, say, ends))),
  }

  const rows: ResultRow[] = []
  for (const [name, run] of Object.entries({ throughput, echo, crowd, flood })) {
    if (only && !only.includes(name)) continue
    const place: Place = { carriers: {}, gateway, text, little, say, ends: new CleanUps() }
    for (const [carrier, open] of Object.entries(carriers)) {
      place.carriers[carrier] = kept(open, place.ends)
    }
    place.gateway = { ...gateway, open: (...how) => kept(() => gateway.open(...how), place.ends)() }
    try {
      const seconds = patience[name as keyof typeof patience]
      rows.push(...(await withTimeout(seconds, `${name} was not done`, run(place))))
    } catch (error) {
      say(`${name}: ${(error as Error).message}`)
      rows.push(failed(name, (error as Error).message, '= done'))
    } finally {
      await place.ends.all()
    }
  }
  return rows
}

/** Returns a function like `open`. The terminals that it opens are closed at the end of the case. */
function kept(open: OpenTerminal, ends: CleanUps): OpenTerminal {
  return async () => {
    const line = await open()
    ends.add(() => line.close())
    return line
  }
}

function failed(name: string, reason: string, goal: string): ResultRow {
  return { ...resultRow({ case: `${name}: ${reason}`, unit: '', ours: 0 }), goal, met: false }
}

/** Writes a text of printable characters to a file. A terminal changes only the line ends of such a text. */
async function writeText(file: string, size: number): Promise<Text> {
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
  return { file, megabytes: size, hash: hash.digest('hex') }
}

/** Marker before the measured output. The echo of the command that prints it does not contain it. */
const BEGIN_MARKER = 'berth-begin-42\r\n'
const END_MARKER = 'berth-end-42\r\n'

function transfer(line: TerminalClient, file: string): Promise<{ bytes: number; digest: string }> {
  const done = new Promise<{ bytes: number; digest: string }>((resolve) => {
    const hash = createHash('sha256')
    let held: Buffer = Buffer.alloc(0)
    let begun = false
    let bytes = 0
    line.onData = (chunk) => {
      held = held.length ? Buffer.concat([held, chunk]) : chunk
      if (!begun) {
        const at = held.indexOf(BEGIN_MARKER)
        if (at === -1) return
        begun = true
        held = held.subarray(at + BEGIN_MARKER.length)
      }
      const end = held.indexOf(END_MARKER)
      const upTo = end === -1 ? Math.max(0, held.length - END_MARKER.length) : end
      hash.update(held.subarray(0, upTo))
      bytes += upTo
      held = held.subarray(upTo)
      if (end === -1) return
      line.onData = () => {}
      resolve({ bytes, digest: hash.digest('hex') })
    }
    line.write(`echo berth-begin-$((40+2)); cat ${file}; echo berth-end-$((40+2))\r`)
  })
  return withTimeout(60, 'The text was not through', done)
}

/**
 * Measures the output speed of a terminal in MB/s.
 * @throws Error if the output differs from the text
 */
async function speedOf(open: OpenTerminal, { file, hash }: Text): Promise<number> {
  const line = await open()
  try {
    let sent = { bytes: 0, digest: '' }
    const ms = await measureMs(async () => (sent = await transfer(line, file)))
    if (sent.digest !== hash) throw new Error('What came is not what was sent')
    return sent.bytes / 1e3 / ms
  } finally {
    line.close()
  }
}

async function throughput({ carriers, text, little, say }: Place): Promise<ResultRow[]> {
  const speeds: Record<string, number[]> = {}
  const broken: Record<string, string> = {}
  const measured = async (name: string, what: Text) => {
    if (broken[name]) return 0
    try {
      const speed = await speedOf(carriers[name], what)
      say(`${name}: ${speed.toFixed(1)} MB/s`)
      return speed
    } catch (error) {
      broken[name] = (error as Error).message
      say(`${name}: ${broken[name]}`)
      return 0
    }
  }
  const several = ['ssh', 'ours', 'incus exec', 'ours (Incus)', 'WeTTY'].filter(
    (name) => carriers[name]
  )
  Object.assign(
    speeds,
    await interleave(
      rounds,
      Object.fromEntries(several.map((name) => [name, () => measured(name, text)]))
    )
  )
  // These terminals have no goal and are slow, so they are measured only once, with the shorter text.
  const once = ['Cockpit', 'shellinabox'].filter((name) => carriers[name])
  for (const name of once) speeds[name] = [await measured(name, little)]

  const compared = (name: string, reference: string, goal = '') => {
    const through = `${megabytes} MB, ${name === 'ours' ? 'SSH' : 'Incus'}`
    const wrong = broken[name] ?? broken[reference]
    if (wrong) return failed(`${through}, against ${reference}`, wrong, goal)
    return resultRow({
      case: through,
      unit: 'MB/s',
      ours: median(speeds[name]),
      against: median(speeds[reference]),
      reference: once.includes(reference) ? `${reference}, ${little.megabytes} MB` : reference,
      goal,
    })
  }
  const ours = several.filter((name) => name.startsWith('ours'))
  return [
    compared('ours', 'ssh', '>= 1.0x'),
    ...(carriers['ours (Incus)']
      ? [compared('ours (Incus)', 'incus exec', '>= 1.0x'), compared('ours (Incus)', 'ssh')]
      : []),
    ...(carriers.WeTTY ? [compared('ours', 'WeTTY', '>= 2x')] : []),
    ...once.map((name) => compared('ours', name)),
    resultRow({
      case: 'hash of what came equal, each time',
      unit: 'of ours',
      ours: ours.filter((name) => !broken[name]).length,
      goal: `= ${ours.length}`,
    }),
  ]
}

/** Starts `cat`, which returns each line of input, so that no shell draws anything. */
async function makeEcho(line: TerminalClient): Promise<void> {
  line.write("stty -echo; PS1=''; exec cat\r")
  await waitForSilence(line)
}

function echoOf(line: TerminalClient, text: string): Promise<number> {
  return measureMs(async () => {
    const seen = waitForText(line, text)
    line.write(`${text}\r`)
    await seen
  })
}

async function echoes(line: TerminalClient, count: number): Promise<number[]> {
  const times: number[] = []
  for (let key = 0; key < count; key++) times.push(await echoOf(line, `k${key}.`))
  return times
}

async function echo({ carriers, say }: Place): Promise<ResultRow[]> {
  const lines: Record<string, TerminalClient> = {}
  const times: Record<string, number[]> = {}
  for (const [name, open] of Object.entries(carriers)) {
    try {
      lines[name] = await open()
      await makeEcho(lines[name])
      await echoes(lines[name], 20)
      times[name] = []
    } catch (error) {
      say(`${name}: no echo (${(error as Error).message})`)
      delete lines[name]
    }
  }
  // Measures the terminals in alternation, so that other load on the machine affects all of them equally.
  for (let turn = 0; turn < keys / 10; turn++) {
    for (const [name, line] of Object.entries(lines)) times[name].push(...(await echoes(line, 10)))
  }
  const p99 = (name: string) => percentile(times[name], 99)
  for (const name of Object.keys(times)) {
    say(`${name}: echo p50 ${median(times[name]).toFixed(2)} ms, p99 ${p99(name).toFixed(2)} ms`)
  }
  const goal = `<= ${(p99('ssh') + 1).toFixed(2)}`
  const compared = (words: string, name: string, reference: string, held = '') =>
    resultRow({
      case: words,
      unit: 'ms',
      ours: p99(name),
      against: p99(reference),
      reference,
      goal: held,
    })
  return [
    compared('echo p99, SSH', 'ours', 'ssh', goal),
    ...(times['ours (Incus)'] ? [compared('echo p99, Incus', 'ours (Incus)', 'ssh', goal)] : []),
    ...['WeTTY', 'Cockpit', 'shellinabox']
      .filter((name) => times[name])
      .map((name) => compared('echo p99, SSH', 'ours', name)),
  ]
}

/**
 * Measures the memory of many sessions, and the echo of one session: without other output, and while another session
 * sends a flood of output to a fast browser. The reference is the echo of plain ssh during the same flood.
 */
async function crowd({ carriers, gateway, say }: Place): Promise<ResultRow[]> {
  const before = await gateway.memory()
  const lines: TerminalClient[] = []
  while (lines.length < sessions) lines.push(await gateway.open('ssh'))
  const each = ((await gateway.memory()) - before) / sessions / 1024 ** 2
  say(`${sessions} sessions open, ${each.toFixed(3)} MB each`)
  // This session, the last one, uses the same SSH connection as the session that sends the flood.
  const line = lines.at(-1)!
  const plain = await carriers.ssh()
  for (const one of [line, plain]) {
    await makeEcho(one)
    await echoes(one, 20)
  }
  const calm: number[] = []
  const disturbed: number[] = []
  const beside: number[] = []
  let most = 0
  for (let turn = 0; turn < 5; turn++) {
    calm.push(...(await echoes(line, Math.ceil(keys / 5))))
    const stop = await startFlooder(gateway.port)
    for (let few = 0; few < keys / 50; few++) {
      disturbed.push(...(await echoes(line, 10)))
      beside.push(...(await echoes(plain, 10)))
    }
    most = Math.max(most, await gateway.memory())
    await stop()
  }
  const ours = percentile(disturbed, 99)
  const ssh = percentile(beside, 99)
  const measured = { case: 'echo p99 of others while one floods', unit: 'ms', ours }
  return [
    resultRow({
      case: `memory of each of ${sessions} sessions`,
      unit: 'MB',
      ours: Math.max(0, each),
      goal: '<= 0.1',
    }),
    resultRow({
      case: 'memory of the gateway more while one floods',
      unit: 'MB',
      ours: Math.max(0, most - before) / 1024 ** 2,
    }),
    resultRow({
      ...measured,
      against: ssh,
      reference: 'ssh, same flood',
      goal: `<= ${(ssh + HALF_A_FRAME_MS).toFixed(2)}`,
    }),
    resultRow({ ...measured, against: percentile(calm, 99), reference: 'calm' }),
  ]
}

/**
 * Starts a process with a terminal client, which reads the output of `yes`.
 * @returns a function that stops the process
 */
async function startFlooder(port: number): Promise<() => Promise<void>> {
  const child = fork(
    join(import.meta.dirname, 'terminal/flooder.ts'),
    [String(port), String(FAST_BROWSER_MB_PER_SECOND)],
    { execArgv: typescriptLoaderArgs }
  )
  await withTimeout(30, 'The flood did not begin', once(child, 'message'))
  return async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
}

/** Measures the time from Ctrl-C until the prompt appears, while `yes` is running. */
async function flood({ gateway, say }: Place): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  for (const [words, speed, goal] of [
    [`browser of ${FAST_BROWSER_MB_PER_SECOND} MB/s`, FAST_BROWSER_MB_PER_SECOND, '<= 50'],
    ['browser of 2 MB/s', 2, '<= 200'],
  ] as const) {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const line = await gateway.open('ssh', speed)
      line.write("PS1='prompt-''$ '; yes berth\r")
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      times.push(
        await measureMs(async () => {
          const seen = waitForText(line, 'prompt-$')
          line.write('\x03')
          await seen
        })
      )
      line.close()
    }
    say(`Ctrl-C, ${words}: ${times.map((time) => time.toFixed(0)).join(', ')} ms`)
    rows.push(
      resultRow({ case: `Ctrl-C under a flood, ${words}`, unit: 'ms', ours: median(times), goal })
    )
  }
  return rows
}

/** Starts a container from the base image, with the text file in it. Returns `null` if there is no Incus. */
async function incusMachine(
  file: string,
  socket: string | undefined,
  ends: CleanUps
): Promise<GatewayTask['incus']> {
  if (!socket) return null
  const incus = Incus.local(socket)
  ends.add(() => incus.close())
  const instance = `bench-terminal-${randomBytes(4).toString('hex')}`
  const created = await incus.instances.create({ name: instance, image: 'berth-base', start: true })
  await created.wait()
  ends.add(async () => {
    const stopped = await incus.instances.setState(instance, 'stop', { force: true })
    await stopped.wait()
    const deleted = await incus.instances.delete(instance)
    await deleted.wait()
  })
  const machine = new IncusMachine(incus.instances, instance)
  await machine.exec(['mkdir', '-p', dirname(file)])
  await machine.exec(['sh', '-c', 'cat > "$1"', 'sh', file], { stdin: createReadStream(file) })
  return { socket, instance }
}

/**
 * Returns `INCUS_SOCKET`. If it is not set, starts a separate Incus daemon in `.berth/bench`. Returns `undefined` if
 * Incus cannot run here.
 */
async function incusSocket(life: CleanupStack): Promise<string | undefined> {
  const { INCUS_SOCKET: given } = process.env
  if (given) return given
  const host = startIncusHost(await openHome(join(installRoot, '.berth', 'bench')), life)
  return (await host.image) ? host.services.incusSocket : undefined
}
