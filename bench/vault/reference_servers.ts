import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDebianPackages } from '../ensure_debian_packages.js'
import { installRoot } from '../../cli/paths.js'
import { runCommand } from '../openssh.js'
import { findFreePort } from '#tests/support/find_free_port'
import { startServer } from './start_server.js'

const S3RVER_VERSION = '3.7.1'

export interface Other {
  url: string
  stop(): Promise<void>
}

/** Starts Debian's nginx with two workers, configured for speed. */
export async function nginx(folder: string, files: string): Promise<Other> {
  await ensureDebianPackages({ '/usr/sbin/nginx': 'nginx-light' })
  const port = await findFreePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`
  )
  await mkdir(folder, { recursive: true })
  await writeFile(
    join(folder, 'nginx.conf'),
    `user root; worker_processes 2; daemon off; error_log stderr; pid ${folder}/pid;
    events { worker_connections 1024; }
    http {
      access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
      open_file_cache max=10000; default_type application/octet-stream; ${temporary.join(' ')}
      server { listen 127.0.0.1:${port} reuseport; root ${files}; }
    }`
  )
  const url = `http://127.0.0.1:${port}`
  const { stop } = await startServer(['/usr/sbin/nginx', '-c', join(folder, 'nginx.conf')], url)
  return { url, stop }
}

/** Starts s3rver, another S3 server, with a bucket "bench". npm installs it once, in `.berth/bench/s3rver`. */
export async function s3rver(folder: string): Promise<Other> {
  const home = join(installRoot, '.berth/bench/s3rver')
  const entry = join(home, 'node_modules/s3rver/bin/s3rver.js')
  await mkdir(home, { recursive: true })
  await mkdir(folder, { recursive: true })
  if (!existsSync(entry)) {
    const quiet = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund']
    const install = ['install', ...quiet, '--prefix', home, `s3rver@${S3RVER_VERSION}`]
    // Runs npm in that folder, so that npm does not read this repository's package.json.
    await runCommand('timeout', ['300', 'npm', ...install], '', home)
  }
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const told = [
    '-d',
    folder,
    '-p',
    String(port),
    '-a',
    '127.0.0.1',
    '-s',
    '--configure-bucket',
    'bench',
  ]
  const { stop } = await startServer([process.execPath, entry, ...told], url)
  return { url, stop }
}
