import { findFreePort } from '#tests/support/find_free_port'
import { runCommand } from './openssh.js'
import { installRoot } from '../cli/paths.js'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The newest version of cloudcmd for which npm can install all dependencies. */
const CLOUDCMD_VERSION = '18.8.11'

export interface Cloudcmd {
  put(path: string, source: string): Promise<void>
  /** Downloads a file. A path that ends in a slash lists that folder. */
  get(path: string): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts cloudcmd, another file manager, for one folder and on a free port. npm installs it once, in
 * `.berth/bench/cloudcmd`.
 */
export async function cloudcmd(folder: string): Promise<Cloudcmd> {
  const home = join(installRoot, '.berth/bench/cloudcmd')
  const entry = join(home, 'node_modules/cloudcmd/bin/cloudcmd.mjs')
  await mkdir(home, { recursive: true })
  if (!existsSync(entry)) {
    const quiet = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
    const install = ['install', ...quiet, '--prefix', home, `cloudcmd@${CLOUDCMD_VERSION}`]
    // Runs npm in that folder, so that npm does not read this repository's package.json.
    await runCommand('timeout', ['300', 'npm', ...install], '', home)
  }
  const port = await findFreePort()
  const off = ['auth', 'open', 'console', 'terminal', 'config-dialog', 'contact']
  const child = spawn(
    process.execPath,
    [entry, ...off.map((name) => `--no-${name}`), '--port', String(port), '--root', folder],
    { stdio: 'ignore', env: { ...process.env, HOME: home } }
  )
  const url = `http://127.0.0.1:${port}/api/v1/fs/`
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const curl = (argv: string[]) => runCommand('curl', ['-sf', ...argv])
  const deadline = Date.now() + 60_000
  while (
    !(await curl(['-o', '/dev/null', url]).then(
      () => true,
      () => false
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop()
      throw new Error('cloudcmd did not start')
    }
    await sleep(50)
  }
  return {
    async put(path, source) {
      await curl(['-T', source, '-o', '/dev/null', url + path])
      const [sent, stored] = await Promise.all([stat(source), stat(join(folder, path))])
      if (sent.size !== stored.size) throw new Error('cloudcmd stored half a file')
    },
    get: async (path) => void (await curl(['-o', '/dev/null', url + path])),
    stop,
  }
}
