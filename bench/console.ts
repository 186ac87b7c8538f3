import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { findFreePorts } from '../cli/roles.js'
import { installRoot } from '../cli/paths.js'
import { runProgram } from '../cli/run_program.js'

/** A running console with a separate home. If an earlier run has left data in the home, it is used again. */
export interface BenchConsole {
  url: string
  home: string
  /** Milliseconds from the start to the first page. */
  startedIn: number
  admin: { email: string; password: string }
  /** Process ID of `berth up`, which is the ancestor of all other processes. */
  pid: number
  stop(): Promise<void>
}

/** Runs `./berth up` with a home in `.berth`, and waits until it serves the first page. */
export async function startConsole(name = 'bench'): Promise<BenchConsole> {
  const home = join(installRoot, '.berth', name)
  const { url, env } = await portsOfTheirOwn()
  const began = performance.now()
  const child = spawn(join(installRoot, 'berth'), ['up', '--yes'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env, BERTH_HOME: home },
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const deadline = began + 600_000
  while (!(await answers(`${url}/`))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop()
      throw new Error('The console did not start')
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  const startedIn = performance.now() - began
  const admin = JSON.parse(await readFile(join(home, 'first-admin.json'), 'utf8'))
  return { url, home, startedIn, admin, pid: child.pid!, stop }
}

export async function portsOfTheirOwn(): Promise<{ url: string; env: Record<string, string> }> {
  const { web, gateway, vault, mail, mail_smtp, mail_inbound, metrics } = await findFreePorts()
  const { web: http, gateway: https } = await findFreePorts()
  const url = `http://127.0.0.1:${web}`
  const env = {
    APP_URL: url,
    PORT: String(web),
    GATEWAY_PORT: String(gateway),
    VAULT_PORT: String(vault),
    MAIL_PORT: String(mail),
    MAIL_SMTP_PORT: String(mail_smtp),
    MAIL_INBOUND_PORT: String(mail_inbound),
    METRICS_PORT: String(metrics),
    EDGE_HTTP_PORT: String(http),
    EDGE_HTTPS_PORT: String(https),
  }
  return { url, env }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { headers: { accept: 'text/html' } })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}

/** An HTTP client that stores the cookies of one person. */
export class Caller {
  #cookies = new Map<string, string>()

  /** @param ip address from which the client claims to come, because the console limits sign-ins per address */
  constructor(
    readonly url: string,
    readonly ip?: string
  ) {}

  /** @throws Error with the response's message if the console rejects the request */
  async call<Data = Record<string, unknown>>(
    method: 'GET' | 'POST',
    path: string,
    body?: object
  ): Promise<Data> {
    const token = this.#cookies.get(path.startsWith('/admin') ? 'XSRF-TOKEN/admin' : 'XSRF-TOKEN/')
    const response = await fetch(this.url + path, {
      method,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        cookie: this.cookie,
        ...(this.ip && { 'x-forwarded-for': this.ip }),
        ...(token && { 'x-xsrf-token': decodeURIComponent(token) }),
      },
      body: body && JSON.stringify(body),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = await response.text()
    if (response.headers.get('content-type')?.includes('html')) return {} as Data
    const answer = JSON.parse(text) as { success: boolean; message: string; data?: Data }
    if (!answer.success) throw new Error(`${method} ${path}: ${answer.message}`)
    return answer.data ?? ({} as Data)
  }

  /** Yields the server-sent events of a path until the server closes the stream. */
  async *events<Message>(path: string): AsyncGenerator<Message> {
    const headers = { accept: 'text/event-stream', cookie: this.cookie }
    const response = await fetch(this.url + path, { headers })
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`)
    for await (const line of createInterface({ input: Readable.from(response.body!) })) {
      if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as Message
    }
  }

  /** Opens a page. Its response sets the cookies that POST requests need. */
  async open(path: string): Promise<void> {
    const headers = { accept: 'text/html' }
    const response = await fetch(this.url + path, { headers })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    await response.body?.cancel()
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name.split('/')[0]}=${value}`).join('; ')
  }

  #keep(line: string): void {
    const [pair] = line.split(';')
    const at = pair.indexOf('=')
    const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? '/'
    const name = pair.slice(0, at)
    this.#cookies.set(name === 'XSRF-TOKEN' ? `${name}${path}` : name, pair.slice(at + 1))
  }
}

export async function administrator({ url, admin }: BenchConsole): Promise<Caller> {
  const caller = new Caller(url)
  await caller.open('/admin/login')
  await caller.call('POST', '/admin/login', admin)
  return caller
}

/** Creates a customer account. Reads the confirmation code from the email. */
export async function newCustomer({ url, home }: BenchConsole): Promise<Caller> {
  const caller = new Caller(url)
  const email = `bench-${process.pid}-${Date.now()}@example.com`
  const password = 'a quay at low tide'
  await caller.open('/login')
  await caller.call('POST', '/send-otp', { email })
  const { output } = await runProgram([join(installRoot, 'berth'), 'outbox', '--json'], {
    env: { ...process.env, BERTH_HOME: home },
  })
  const mails = JSON.parse(output) as { to: string; subject: string; text: string }[]
  const mail = mails.filter(({ to }) => to === email).at(-1)
  const otp = /\b\d{6}\b/.exec(`${mail?.subject} ${mail?.text}`)?.[0]
  await caller.call('POST', '/match-otp', { email, otp, password, confirm_password: password })
  return caller
}
