import { existsSync } from 'node:fs'
import { CliError } from './berth_home.js'
import { isDebianLike, readOsRelease } from './host/operating_system.js'
import { installAptPackages } from './apt_packages.js'

const places = [
  '/usr/bin/chromium',
  '/snap/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Most tests use this program. */
const HEADLESS_SHELL_PATH = '/usr/bin/chromium-headless-shell'

export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return [env.BERTH_CHROMIUM, ...places].find((path) => path && existsSync(path))
}

/**
 * Installs bubblewrap, in which tests run Chromium, and except on Ubuntu also Chromium, unless they exist. Returns
 * Chromium's path.
 * @throws Error with apt's output if the installation fails, CliError if Chromium is still missing
 */
export async function ensureChromium(): Promise<string> {
  const missing = existsSync('/usr/bin/bwrap') ? [] : ['bubblewrap']
  if (!isSnap()) {
    if (!findChromium()) missing.push('chromium', 'fonts-liberation')
    if (!existsSync(HEADLESS_SHELL_PATH)) missing.push('chromium-headless-shell')
  }
  if (missing.length) await installAptPackages(missing)
  const path = findChromium()
  if (path) return path
  throw new CliError(
    `Browser tests need Chromium: ${chromiumInstallHint()}, or set BERTH_CHROMIUM to its path`
  )
}

export function chromiumInstallHint(): string {
  if (isSnap()) return 'snap install chromium'
  return isDebianLike() ? 'apt-get install chromium' : "install your system's chromium"
}

/** On Ubuntu, the package `chromium` only installs the snap. */
function isSnap(): boolean {
  return readOsRelease().families.includes('ubuntu')
}
