import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '../cli/roles.js'
import { root } from '../cli/paths.js'

/** A console of its own for a bench, in `.berth/bench`; what earlier benches left there is used again. */
export interface BenchConsole {
  url: string
  home: string
  /** Milliseconds from the command to the first page that answered. */
  startedIn: number
  admin: { email: string; password: string }
  stop(): Promise<void>
}

/** Runs `./berth up` and waits for its first page. */
export async function startConsole(): Promise<BenchConsole> {
  const home = join(root, '.berth', 'bench')
  const { web, gateway, vault, mail } = await freePorts()
  const { web: http, gateway: https } = await freePorts()
  const url = `http://127.0.0.1:${web}`
  const began = performance.now()
  const child = spawn(join(root, 'berth'), ['up', '--yes'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      BERTH_HOME: home,
      APP_URL: url,
      PORT: String(web),
      GATEWAY_PORT: String(gateway),
      VAULT_PORT: String(vault),
      MAIL_PORT: String(mail),
      EDGE_HTTP_PORT: String(http),
      EDGE_HTTPS_PORT: String(https),
    },
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
  return { url, home, startedIn, admin, stop }
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
