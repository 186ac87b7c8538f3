import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildWithGo } from './go.js'
import { DEFAULT_HOME } from './incus.js'

/** The version that `./berth edge build` builds. */
const VERSION = 'v2.11.9'
/** Debian's 2.6.2 is built with Go 1.19 and lacks the fix for HTTP/2 rapid reset (CVE-2023-44487) and later fixes. */
const OLDEST_SAFE = [2, 10]
const PACKAGED = '/usr/bin/caddy'
const BUILT = join(DEFAULT_HOME, 'caddy', 'caddy')

/** The Caddy that serves public names. */
export interface CaddyFacts {
  path: string
  /** E.g. `2.11.9`; '' if unknown. */
  version: string
  /** Whether its HTTP server has known vulnerabilities. */
  isOutdated: boolean
}

/** Returns the Caddy to use: the one built on this machine, otherwise the package's. Null if there is none. */
export function findCaddy(places = [BUILT, PACKAGED]): CaddyFacts | null {
  const path = places.find((each) => existsSync(each))
  if (!path) return null
  const text = versionText(path)
  const [, major, minor, patch] = /v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? []
  const numbers = [Number(major), Number(minor)]
  const isSafe =
    numbers[0] > OLDEST_SAFE[0] || (numbers[0] === OLDEST_SAFE[0] && numbers[1] >= OLDEST_SAFE[1])
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
 * Builds a current Caddy from the Go module proxy: about two minutes on two processors. Throws with Go's
 * error output.
 */
export async function buildCaddy(): Promise<CaddyFacts> {
  const label = `-s -w -X github.com/caddyserver/caddy/v2.CustomVersion=${VERSION}`
  await buildWithGo(`github.com/caddyserver/caddy/v2/cmd/caddy@${VERSION}`, BUILT, label)
  return findCaddy()!
}
