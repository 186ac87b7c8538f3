import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildWithGo } from './go_toolchain.js'
import { INSTALLATION_HOME_PATH } from './incus.js'

/**
 * Version of Caddy that `./berth edge build` builds. Berth updates a Caddy that it has built itself, but not one from a
 * package.
 */
export const CADDY_VERSION = '2.11.9'
/**
 * Debian's Caddy 2.6.2 is built with Go 1.19 and lacks the fix for HTTP/2 rapid reset (CVE-2023-44487). Distributions
 * have the fix only in newer packages.
 */
const MIN_PACKAGED_VERSION = '2.10.0'

export interface CaddyPaths {
  built: string
  packaged: string
}

const CADDY_PATHS: CaddyPaths = {
  built: join(INSTALLATION_HOME_PATH, 'caddy', 'caddy'),
  packaged: '/usr/bin/caddy',
}

export interface CaddyBinary {
  path: string
  /** Such as `2.11.9`. Empty if unknown. */
  version: string
  isOutdated: boolean
}

/** Prefers the Caddy that was built on this machine to that of the package. */
export function findCaddy({ built, packaged }: CaddyPaths = CADDY_PATHS): CaddyBinary | null {
  if (existsSync(built)) return inspectCaddy(built, CADDY_VERSION)
  return existsSync(packaged) ? inspectCaddy(packaged, MIN_PACKAGED_VERSION) : null
}

function inspectCaddy(path: string, minVersion: string): CaddyBinary {
  const version = /\d+\.\d+\.\d+/.exec(versionText(path))?.[0] ?? ''
  const isOutdated = version.localeCompare(minVersion, 'en', { numeric: true }) < 0
  return { path, version, isOutdated }
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
export async function buildCaddy({ built }: CaddyPaths = CADDY_PATHS): Promise<CaddyBinary> {
  const ldflags = `-s -w -X github.com/caddyserver/caddy/v2.CustomVersion=v${CADDY_VERSION}`
  await buildWithGo(`github.com/caddyserver/caddy/v2/cmd/caddy@v${CADDY_VERSION}`, built, {
    ldflags,
  })
  return inspectCaddy(built, CADDY_VERSION)
}

/** True only for a Caddy that an earlier release built. */
export function isCaddyRebuildDue(paths: CaddyPaths = CADDY_PATHS): boolean {
  const caddy = findCaddy(paths)
  return caddy?.path === paths.built && caddy.isOutdated
}
