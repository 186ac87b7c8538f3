import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildWithGo } from './go_toolchain.js'
import { INSTALLATION_HOME_PATH } from './incus.js'

/** The version that `./berth edge build` builds. */
const CADDY_VERSION = 'v2.11.9'
/**
 * Debian's 2.6.2 is built with Go 1.19. It lacks the fix for HTTP/2 rapid reset (CVE-2023-44487) and later
 * fixes.
 */
const MIN_SAFE_VERSION = [2, 10]
const PACKAGED_CADDY_PATH = '/usr/bin/caddy'
const BUILT_CADDY_PATH = join(INSTALLATION_HOME_PATH, 'caddy', 'caddy')

export interface CaddyBinary {
  path: string
  /** E.g. `2.11.9`. Empty if unknown. */
  version: string
  isOutdated: boolean
}

/** Finds Caddy: the one built on this machine, or else the package's. */
export function findCaddy(places = [BUILT_CADDY_PATH, PACKAGED_CADDY_PATH]): CaddyBinary | null {
  const path = places.find((each) => existsSync(each))
  if (!path) return null
  const text = versionText(path)
  const [, major, minor, patch] = /v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []
  const numbers = [Number(major), Number(minor)]
  const isSafe =
    numbers[0] > MIN_SAFE_VERSION[0] ||
    (numbers[0] === MIN_SAFE_VERSION[0] && numbers[1] >= MIN_SAFE_VERSION[1])
  return { path, version: patch ? `${major}.${minor}.${patch}` : '', isOutdated: !isSafe }
}

function versionText(path: string): string {
  try {
    return execFileSync(path, ['version'], { encoding: 'utf8', timeout: 10_000 })
  } catch {
    return ''
  }
}

/**
 * Builds Caddy through the Go module proxy, in about two minutes on two processors.
 * @throws Error with Go's error output
 */
export async function buildCaddy(): Promise<CaddyBinary> {
  const ldflags = `-s -w -X github.com/caddyserver/caddy/v2.CustomVersion=${CADDY_VERSION}`
  await buildWithGo(
    `github.com/caddyserver/caddy/v2/cmd/caddy@${CADDY_VERSION}`,
    BUILT_CADDY_PATH,
    { ldflags }
  )
  return findCaddy()!
}
