import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import WebSocket from 'ws'
import { typescriptLoaderArgs } from '../../cli/paths.ts'
import type { TestSshd } from '../../packages/machine/tests/sshd.ts'
import { ACK_INTERVAL_BYTES } from '../../packages/terminal-gateway/protocol.ts'
import type { GatewayAnswer, GatewayTask } from './gateway.ts'

export interface TerminalClient {
  write(data: string): void
  onData: (chunk: Buffer) => void
  close(): void
}

export type OpenTerminal = () => Promise<TerminalClient>

export class CleanUps {
  readonly #ends: (() => unknown)[] = []
  add(end: () => unknown) {
    this.#ends.push(end)
  }
  async all() {
    for (const end of this.#ends.splice(0).reverse()) {
      try {
        await end()
      } catch (error) {
        console.error(`While ending: ${(error as Error).message}`)
      }
    }
  }
}

/** @throws Error after `seconds` seconds, with a message that begins with `words` */
export async function withTimeout<T>(seconds: number, words: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${words} within ${seconds} s`)), seconds * 1_000)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

export function waitForText(line: TerminalClient, text: string, seconds = 20): Promise<void> {
  const seen = new Promise<void>((resolve) => {
    let tail = ''
    line.onData = (chunk) => {
      tail += chunk.toString('latin1')
      if (tail.includes(text)) resolve()
      tail = tail.slice(-text.length)
    }
  })
  return withTimeout(seconds, `"${text}" did not come`, seen)
}

/** Waits until there has been no output for `quiet` milliseconds. */
export function waitForSilence(line: TerminalClient, quiet = 300): Promise<void> {
  const still = new Promise<void>((resolve) => {
    let timer = setTimeout(resolve, quiet)
    line.onData = () => {
      clearTimeout(timer)
      timer = setTimeout(resolve, quiet)
    }
  })
  return withTimeout(20, 'The terminal did not come to rest', still)
}

/** Runs `ssh -tt` over pipes, like a person in a local terminal. */
export function plainSsh(sshd: TestSshd, keyFile: string): Promise<TerminalClient> {
  return program(sshCommand(sshd, keyFile))
}

export function plainIncus({
  socket,
  instance,
}: NonNullable<GatewayTask['incus']>): Promise<TerminalClient> {
  const shell = ['sh', '-c', 'stty sane; exec sh']
  return program(['incus', 'exec', '-t', instance, '--', ...shell], { INCUS_SOCKET: socket })
}

async function program(
  [name, ...argv]: string[],
  env: NodeJS.ProcessEnv = {}
): Promise<TerminalClient> {
  const child = spawn(name, argv, {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  })
  const line: TerminalClient = {
    onData: () => {},
    write: (data) => child.stdin.write(data),
    close: () => child.kill('SIGKILL'),
  }
  child.stdout.on('data', (chunk: Buffer) => line.onData(chunk))
  child.stdin.on('error', () => {})
  await waitForShell(line)
  return line
}

/** Returns the ssh command that opens the same shell as the gateway. */
export function sshCommand({ target }: TestSshd, keyFile: string): string[] {
  const options = [
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'ControlMaster=no',
  ]
  return [
    'ssh',
    '-tt',
    '-F',
    'none',
    '-i',
    keyFile,
    '-p',
    String(target.port),
    ...options.flatMap((option) => ['-o', option]),
    `${target.username}@${target.host}`,
    'stty sane; exec sh',
  ]
}

/**
 * Waits until the shell of a new terminal responds and is idle. Repeats its command, because input may be lost before
 * the shell is ready.
 */
export async function waitForShell(line: TerminalClient): Promise<void> {
  for (let tries = 6; tries > 0; tries--) {
    const ready = waitForText(line, 'berth-ready-42', 3)
    line.write('echo berth-ready-$((40+2))\r')
    try {
      await ready
      break
    } catch (error) {
      if (tries === 1) throw error
    }
  }
  await waitForSilence(line, 100)
}

/** The gateway's process. `PROFILE=folder` saves a CPU profile in that folder. */
export interface GatewayProcess {
  /** Opens a terminal like a browser. `speed` is the drawing speed in MB/s. */
  open(kind: 'ssh' | 'incus', speed?: number): Promise<TerminalClient>
  /** Memory of the process (resident set size) in bytes. */
  memory(): Promise<number>
  port: number
  close(): Promise<void>
}

export async function startGateway(task: GatewayTask): Promise<GatewayProcess> {
  const profile = process.env.PROFILE
  const child = fork(join(import.meta.dirname, 'gateway.ts'), {
    execArgv: [
      ...typescriptLoaderArgs,
      ...(profile ? ['--cpu-prof', '--cpu-prof-dir', profile] : []),
    ],
  })
  const ask = async <Key extends string>(words: object, key: Key) => {
    const answer = once(child, 'message')
    child.send(words)
    const [said] = (await withTimeout(30, 'The gateway did not answer', answer)) as [GatewayAnswer]
    return (said as unknown as Record<Key, number>)[key]
  }
  const port = await ask(task, 'port')
  return {
    port,
    open: (kind, speed) => openTerminal(port, kind, speed),
    memory: () => ask({}, 'memory'),
    async close() {
      const gone = once(child, 'exit')
      child.disconnect()
      await withTimeout(20, 'The gateway did not end', gone).catch(() => child.kill('SIGKILL'))
    },
  }
}

/** Opens a terminal like a browser. `speed` is the drawing speed in MB/s. */
export async function openTerminal(
  port: number,
  kind: string,
  speed = Infinity
): Promise<TerminalClient> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { origin: 'http://bench' })
  const send = (message: object) => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(message))
  }
  const line: TerminalClient = {
    onData: () => {},
    write: (data) => send({ type: 'message', data }),
    close: () => socket.terminate(),
  }
  const draw = drawing(speed, (bytes) => send({ type: 'ack', bytes }))
  const ready = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('open', () => send({ type: 'credentials', privateKey: kind, cols: 100, rows: 30 }))
    socket.on('message', (data: Buffer, binary: boolean) => {
      if (binary) return draw(data.length, () => line.onData(data))
      const { type, reason } = JSON.parse(data.toString())
      if (type === 'ready') resolve()
      if (type === 'closed') reject(new Error(reason))
    })
  })
  await withTimeout(30, 'The terminal did not open', ready)
  await waitForShell(line)
  return line
}

/** Simulates a browser that draws `speed` MB/s, and acknowledges output like the console's page. */
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
      if (waiting > 0 && owed < ACK_INTERVAL_BYTES) return
      acknowledge(owed)
      owed = 0
    }
    if (speed === Infinity) return done()
    busyUntil = Math.max(busyUntil, performance.now()) + bytes / (speed * 1e3)
    setTimeout(done, Math.max(1, busyUntil - performance.now()))
  }
}
