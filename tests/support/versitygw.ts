import { buildWithGo } from '../../cli/host/go_toolchain.js'
import { eventually } from '#tests/support/eventually'
import { findFreePort } from '#tests/support/find_free_port'
import { quickGoEnv, serverProgramCachePath } from '#tests/support/server_program_cache_path'
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

const GO_PROGRAM = 'github.com/versity/versitygw/cmd/versitygw'
/** Newer versions need a newer Go than Debian 12 has in its backports. */
const VERSITYGW_VERSION = 'v1.0.14'
/** The build stays here between runs, because building takes minutes. */
const CACHE_PATH = serverProgramCachePath(`versitygw-${VERSITYGW_VERSION}`)

/**
 * Returns the path of Versity's gateway, an S3 server that stores objects in a folder. Go builds it from source.
 * @throws with the reason if it cannot be built
 */
export async function ensureVersitygw(): Promise<string> {
  if (existsSync(CACHE_PATH)) return CACHE_PATH
  await buildWithGo(`${GO_PROGRAM}@${VERSITYGW_VERSION}`, CACHE_PATH, { env: quickGoEnv })
  return CACHE_PATH
}

/** Starts the gateway. The subfolders of `folder` are the buckets. */
export async function startVersitygw(folder: string, key: { id: string; secret: string }) {
  const program = await ensureVersitygw()
  const port = await findFreePort()
  const child = spawn(program, ['--port', `127.0.0.1:${port}`, '--quiet', 'posix', folder], {
    env: { ROOT_ACCESS_KEY: key.id, ROOT_SECRET_KEY: key.secret },
    stdio: 'ignore',
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    if (child.exitCode === null && child.kill('SIGKILL')) await ended
  }
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error('versitygw ended')
    await fetch(`http://127.0.0.1:${port}/`)
  })
  return { port, stop }
}
