import { findFreePort } from '#tests/support/find_free_port'
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { caddyAdminConfig, CaddyAdminClient, type EdgeSettings } from '../main.js'

export async function startCaddy() {
  const folder = await mkdtemp(join(tmpdir(), 'edge-'))
  const settings: EdgeSettings = {
    httpPort: await findFreePort(),
    httpsPort: await findFreePort(),
    admin: `unix/${folder}/admin.sock`,
    storage: join(folder, 'storage'),
    tlsLog: join(folder, 'tls.log'),
    proxyLoopLog: join(folder, 'proxy_loops.log'),
    issuer: 'internal',
  }
  const config = join(folder, 'config.json')
  await writeFile(config, JSON.stringify({ admin: caddyAdminConfig(settings.admin) }))
  const child = spawn('caddy', ['run', '--config', config], {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  const edge = new CaddyAdminClient(settings.admin)
  for (let tries = 0; !(await edge.isUp()); tries++) {
    if (tries > 1_200 || child.exitCode !== null) throw new Error('Caddy did not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    edge,
    settings,
    folder,
    kill: () => child.kill('SIGKILL'),
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      if (child.kill('SIGTERM') && child.exitCode === null && !child.signalCode) await ended
      await edge.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
