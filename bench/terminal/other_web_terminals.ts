import { findFreePort } from '#tests/support/find_free_port'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import WebSocket from 'ws'
import { quoteForShell } from '../../packages/machine/shell_quote.ts'
import type { TestSshd } from '../../packages/machine/tests/sshd.ts'
import { ensureDebianPackages } from '../ensure_debian_packages.ts'
import {
  waitForShell,
  sshCommand,
  withTimeout,
  type CleanUps,
  type TerminalClient,
  type OpenTerminal,
} from './terminal_clients.ts'

type Say = (line: string) => void

/**
 * Starts other web terminals. All of them run the same ssh command to the same server. Skips those that cannot be
 * installed or started, and prints their names.
 */
export async function startPeers(
  sshd: TestSshd,
  keyFile: string,
  say: Say,
  ends: CleanUps
): Promise<Record<string, OpenTerminal>> {
  const login = join(dirname(keyFile), 'login')
  await writeFile(login, `#!/bin/sh\nexec ${quoteForShell(sshCommand(sshd, keyFile))}\n`)
  await chmod(login, 0o755)
  const found: Record<string, OpenTerminal> = {}
  for (const [name, prepare] of Object.entries({ WeTTY: wetty, Cockpit: cockpit, shellinabox })) {
    try {
      say(`Starting ${name}`)
      const open = await withTimeout(300, 'It did not start', prepare(login, ends))
      ;(await open()).close()
      found[name] = open
    } catch (error) {
      say(`${name} is left out: ${(error as Error).message}`)
    }
  }
  return found
}

/** Starts wetty, which npm installs in a separate folder. It uses socket.io over one WebSocket. */
async function wetty(login: string, ends: CleanUps): Promise<OpenTerminal> {
  const folder = join(tmpdir(), 'berth-bench-wetty')
  const entry = join(folder, 'node_modules/wetty/build/main.js')
  if (!existsSync(entry)) {
    await mkdir(folder, { recursive: true })
    // The native modules of wetty are compiled for this version of Node. `./berth` has set the path of the headers that
    // this needs.
    await must('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, 'wetty@2.7.0'])
  }
  const port = await findFreePort()
  const argv = ['--host', '127.0.0.1', '--port', String(port), '--base', '/', '--command', login]
  await service(process.execPath, [entry, ...argv], port, ends)
  return async () => {
    const url = `ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`
    const socket = new WebSocket(url, { origin: `http://127.0.0.1:${port}` })
    const emit = (...event: unknown[]) => socket.send(`42${JSON.stringify(event)}`)
    const line = lineOf(socket, (data) => emit('input', data))
    const started = new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('message', (raw: Buffer) => {
        const text = raw.toString()
        if (text.startsWith('0')) socket.send('40')
        if (text === '2') socket.send('3')
        if (text.startsWith('40')) emit('resize', { cols: 100, rows: 30 })
        if (!text.startsWith('42')) return
        const [event, data] = JSON.parse(text.slice(2)) as [string, string]
        if (event === 'login' || event === 'data') resolve()
        if (event !== 'data') return
        line.onData(Buffer.from(data))
        emit('commit', Buffer.byteLength(data))
      })
    })
    await withTimeout(20, 'It did not open a terminal', started)
    await waitForShell(line)
    return line
  }
}

/** Starts Debian's Cockpit without sign-in. A terminal is a channel of Cockpit's bridge. */
async function cockpit(login: string, ends: CleanUps): Promise<OpenTerminal> {
  const program = '/usr/lib/cockpit/cockpit-ws'
  await ensureDebianPackages({
    [program]: 'cockpit-ws',
    '/usr/bin/cockpit-bridge': 'cockpit-bridge',
  })
  const settings = await mkdtemp(join(tmpdir(), 'berth-cockpit-'))
  ends.add(() => rm(settings, { recursive: true, force: true }))
  const env = { ...process.env, XDG_CONFIG_DIRS: settings, XDG_RUNTIME_DIR: settings }
  return async () => {
    // Starts a new Cockpit for each terminal: without sign-in, Cockpit serves one browser and then exits.
    const port = await findFreePort()
    const where = ['--no-tls', '--address', '127.0.0.1', '--port', String(port)]
    await service(program, [...where, '--local-session', 'cockpit-bridge'], port, ends, env)
    const base = `127.0.0.1:${port}`
    const signIn = await fetch(`http://${base}/cockpit/login`)
    await signIn.body?.cancel()
    const cookie = signIn.headers.getSetCookie().map((line) => line.split(';')[0])
    const socket = new WebSocket(`ws://${base}/cockpit/socket`, 'cockpit1', {
      origin: `http://${base}`,
      headers: { cookie: cookie.join('; ') },
    })
    const control = (words: object) => socket.send(`\n${JSON.stringify(words)}`)
    let channel = ''
    const line = lineOf(socket, (data) => socket.send(`${channel}\n${data}`))
    const started = new Promise<void>((resolve, reject) => {
      socket.on('error', reject)
      socket.on('message', (raw: Buffer) => {
        const end = raw.indexOf(10)
        const id = raw.toString('utf8', 0, end)
        if (id) return line.onData(raw.subarray(end + 1))
        const said = JSON.parse(raw.toString('utf8', end + 1)) as Record<string, string>
        if (said.command === 'init') {
          channel = `${said['channel-seed'] ?? ''}1`
          control({ command: 'init', version: 1 })
          control({
            command: 'open',
            channel,
            payload: 'stream',
            spawn: [login],
            pty: true,
            window: { rows: 30, cols: 100 },
            'flow-control': true,
          })
        }
        if (said.command === 'ready') resolve()
        if (said.command === 'close') reject(new Error(said.problem ?? 'It closed the terminal'))
        if (said.command === 'ping') control({ ...said, command: 'pong' })
      })
    })
    await withTimeout(20, 'It did not open a terminal', started)
    await waitForShell(line)
    return line
  }
}

/** Starts Debian's shellinabox, whose page uses long polling. */
async function shellinabox(login: string, ends: CleanUps): Promise<OpenTerminal> {
  await ensureDebianPackages({ '/usr/bin/shellinaboxd': 'shellinabox' })
  const port = await findFreePort()
  const argv = ['--disable-ssl', '--localhost-only', '-p', String(port)]
  await service('shellinaboxd', [...argv, '-s', `/:root:root:/:${login}`], port, ends)
  const post = async (fields: Record<string, string>, signal: AbortSignal) => {
    const response = await fetch(`http://127.0.0.1:${port}/?`, {
      method: 'POST',
      signal,
      body: new URLSearchParams({ width: '100', height: '30', ...fields }),
    })
    return (await response.json()) as { session: string; data: string }
  }
  return async () => {
    const closed = new AbortController()
    const { session } = await post({ rooturl: `http://127.0.0.1:${port}/` }, closed.signal)
    const line: TerminalClient = {
      onData: () => {},
      write: (data) => {
        const keys = Buffer.from(data).toString('hex').toUpperCase()
        void post({ session, keys }, closed.signal).catch(() => {})
      },
      close: () => closed.abort(),
    }
    const poll = async () => {
      while (!closed.signal.aborted) {
        const { data } = await post({ session }, closed.signal)
        if (data) line.onData(Buffer.from(data, 'latin1'))
      }
    }
    void poll().catch(() => {})
    await waitForShell(line)
    return line
  }
}

function lineOf(socket: WebSocket, write: (data: string) => void): TerminalClient {
  return {
    onData: () => {},
    write: (data) => {
      if (socket.readyState === socket.OPEN) write(data)
    },
    close: () => socket.terminate(),
  }
}

async function must(program: string, argv: string[]): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const child = spawn(program, argv, { stdio: 'ignore', env })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} ${argv[0]} ended with ${code}`)
}

/** Starts a program and waits until it listens on its port. It is stopped at the end of the benchmark. */
async function service(
  program: string,
  argv: string[],
  port: number,
  ends: CleanUps,
  env = process.env
): Promise<void> {
  const child = spawn(program, argv, { stdio: 'ignore', cwd: tmpdir(), env })
  const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error))
  failed.catch(() => {})
  ends.add(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await withTimeout(2, 'It did not end', gone).catch(() => child.kill('SIGKILL'))
  })
  await Promise.race([listening(port, child), failed])
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
