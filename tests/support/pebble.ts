import { ensureGo } from '../../cli/host/go_toolchain.js'
import { runProgram } from '../../cli/run_program.js'
import { findFreePort } from '#tests/support/find_free_port'
import { eventually } from '#tests/support/eventually'
import {
  QUICK_BUILD_GOFLAGS,
  serverProgramCachePath,
} from '#tests/support/server_program_cache_path'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'

const GO_MODULE = 'github.com/letsencrypt/pebble/v2'
const PEBBLE_VERSION = 'v2.8.0'
/** Builds stay here between runs, because building takes a minute. */
const CACHE_FOLDER = serverProgramCachePath(`pebble-${PEBBLE_VERSION}`)

/**
 * Returns the folder of Pebble, Let's Encrypt's ACME server for tests. Go builds it from source, and is itself
 * installed from Debian's packages if missing.
 * @throws with the reason if it cannot be built
 */
export async function ensurePebble(): Promise<string> {
  if (existsSync(CACHE_FOLDER)) return CACHE_FOLDER
  const go = await ensureGo()
  const place = await mkdtemp(join(tmpdir(), 'pebble-'))
  try {
    const env = {
      ...process.env,
      HOME: place,
      GOPATH: place,
      GOBIN: join(place, 'made'),
      GOCACHE: join(place, 'cache'),
      // Debian's Go may be older than Pebble needs. With `auto`, Go downloads the right version.
      GOTOOLCHAIN: 'auto',
      GOFLAGS: `-buildvcs=false -modcacherw ${QUICK_BUILD_GOFLAGS}`,
      CGO_ENABLED: '0',
    }
    const argv = [go, 'install', `${GO_MODULE}/cmd/pebble@${PEBBLE_VERSION}`]
    const { code, output } = await runProgram(argv, { env, cwd: place })
    if (code !== 0) throw new Error(`Pebble cannot be built: ${output.trim().slice(-500)}`)
    const certificates = join(place, 'pkg/mod', `${GO_MODULE}@${PEBBLE_VERSION}`, 'test/certs')
    await cp(certificates, join(place, 'made/certs'), { recursive: true })
    await mkdir(join(CACHE_FOLDER, '..'), { recursive: true })
    await cp(join(place, 'made'), `${CACHE_FOLDER}.${process.pid}`, { recursive: true })
    await rename(`${CACHE_FOLDER}.${process.pid}`, CACHE_FOLDER).catch((error: unknown) => {
      if (!existsSync(CACHE_FOLDER)) throw error
    })
    return CACHE_FOLDER
  } finally {
    await rm(place, { recursive: true, force: true })
  }
}

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
  const program = await ensurePebble()
  const folder = await mkdtemp(join(tmpdir(), 'acme-'))
  const [port, managementPort] = [await findFreePort(), await findFreePort()]
  const roots = join(folder, 'roots.pem')
  const ownRoot = await readFile(join(program, 'certs/pebble.minica.pem'), 'utf8')
  await writeFile(roots, ownRoot)
  const config = join(folder, 'pebble.json')
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: join(program, 'certs/localhost/cert.pem'),
    privateKey: join(program, 'certs/localhost/key.pem'),
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
      const child = spawn(join(program, 'pebble'), argv, { env, stdio: 'ignore' })
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
