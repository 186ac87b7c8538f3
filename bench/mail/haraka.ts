import { existsSync } from 'node:fs'
import { cp, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:net'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { installRoot } from '../../cli/paths.js'
import { runCommand } from '../openssh.js'
import { findFreePort } from '#tests/support/find_free_port'

const HARAKA_VERSION = '3.3.4'

export interface Server {
  port: number
  stop(): Promise<void>
}

/**
 * Starts Haraka, a mail server that queues mail from this machine and never delivers it. npm installs it once, in
 * `.berth/bench/haraka`.
 */
export async function haraka(folder: string): Promise<Server> {
  const home = join(installRoot, '.berth/bench/haraka')
  const program = join(home, 'node_modules/Haraka')
  await mkdir(home, { recursive: true })
  if (!existsSync(join(program, 'bin/haraka'))) {
    const overrides = { 'encoding-japanese': '2.2.0', libqp: '2.1.1' }
    const dependencies = { Haraka: HARAKA_VERSION }
    await writeFile(
      join(home, 'package.json'),
      JSON.stringify({ private: true, dependencies, overrides })
    )
    const quiet = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
    await runCommand('timeout', ['300', 'npm', 'install', ...quiet, '--prefix', home], '', home)
  }
  const port = await findFreePort()
  const config = join(folder, 'config')
  await mkdir(config, { recursive: true })
  await mkdir(join(folder, 'queue'))
  await cp(join(program, 'config/connection.ini'), join(config, 'connection.ini'))
  const files = {
    'smtp.ini': `listen=127.0.0.1:${port}\nnodes=0\n`,
    plugins: 'relay\n',
    'relay.ini': '[relay]\nacl=true\n',
    relay_acl_allow: '127.0.0.1/32\n',
    'outbound.ini': 'disabled=true\n',
    'log.ini': '[main]\nlevel=emerg\n',
    me: 'bench.test\n',
  }
  for (const [name, text] of Object.entries(files)) await writeFile(join(config, name), text)
  const argv = [join(program, 'bin/haraka'), '-c', folder]
  const child = spawn(process.execPath, argv, { stdio: 'ignore' })
  for (let tried = 0; !(await listens(port)); tried++) {
    if (tried > 300 || child.exitCode !== null) throw new Error('Haraka did not start')
    await wait(100)
  }
  return {
    port,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return new Promise((done) => {
    socket.once('connect', () => done(true)).once('error', () => done(false))
  }).finally(() => socket.destroy()) as Promise<boolean>
}
