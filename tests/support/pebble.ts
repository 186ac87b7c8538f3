import { runOrThrow } from '../../cli/run_program.js'
import { findFreePort } from '#tests/support/find_free_port'
import { eventually } from '#tests/support/eventually'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'

/** Let's Encrypt's ACME server for tests, from the Debian package of this name. */
const PROGRAM_PATH = '/usr/bin/pebble'

export interface Pebble {
  /** URL of Pebble's ACME directory, for EDGE_ACME_URL. */
  directory: string
  /**
   * Path of the root certificates, for EDGE_ACME_ROOTS. Before `start`, the file contains only the root of Pebble's
   * own server.
   */
  roots: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Stops Pebble and deletes its files. */
  remove(): Promise<void>
}

/**
 * Prepares Pebble without starting it. Pebble uses the DNS server `dns`, and validates names over HTTP at `httpPort`.
 */
export async function preparePebble(settings: { httpPort: number; dns: string }): Promise<Pebble> {
  const folder = await mkdtemp(join(tmpdir(), 'acme-'))
  const [port, managementPort] = [await findFreePort(), await findFreePort()]
  const roots = join(folder, 'roots.pem')
  const [certificate, privateKey] = [join(folder, 'server.pem'), join(folder, 'server.key')]
  const options = `-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=Pebble`
  const files = [
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-keyout',
    privateKey,
    '-out',
    certificate,
  ]
  await runOrThrow(['openssl', 'req', '-x509', ...options.split(' '), ...files])
  const ownRoot = await readFile(certificate, 'utf8')
  await writeFile(roots, ownRoot)
  const config = join(folder, 'pebble.json')
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate,
    privateKey,
    httpPort: settings.httpPort,
    // Nothing listens on this port: the tests use HTTP validation only.
    tlsPort: 1,
  }
  await writeFile(config, JSON.stringify({ pebble }))
  let end = async () => {}

  return {
    directory: `https://127.0.0.1:${port}/dir`,
    roots,
    async start() {
      const argv = ['-config', config, '-dnsserver', settings.dns]
      const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0' }
      const child = spawn(PROGRAM_PATH, argv, { env, stdio: 'ignore' })
      const ended = new Promise((resolve) => child.once('exit', resolve))
      end = async () => {
        if (child.kill('SIGTERM')) await ended
      }
      const dispatcher = new Agent({ connect: { ca: ownRoot } })
      const made = await eventually(async () => {
        const url = `https://127.0.0.1:${managementPort}/roots/0`
        return (await request(url, { dispatcher })).body.text()
      }).finally(() => dispatcher.close())
      await writeFile(roots, ownRoot + made)
    },
    stop: () => end(),
    async remove() {
      await end()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
