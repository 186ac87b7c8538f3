import { existsSync } from 'node:fs'
import { CliError } from './berth_home.js'
import { isDebianLike, readOsRelease } from './host/operating_system.js'
import {
  canInstallAptPackages,
  installAptPackages,
  listInstallableAptPackages,
} from './apt_packages.js'

const places = [
  '/usr/bin/chromium',
  '/snap/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
]

/** Chromium without windows. It needs a quarter to a half less processor time for the same page. */
const HEADLESS_SHELL_PATH = '/usr/bin/chromium-headless-shell'

/** Returns BERTH_CHROMIUM, or the path of the system's Chromium. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return [env.BERTH_CHROMIUM, ...places].find((path) => path && existsSync(path))
}

/** Returns the path of the browser for tests: BERTH_CHROMIUM, the headless shell, or Chromium. */
export function findTestBrowser(env: NodeJS.ProcessEnv = process.env): string | undefined {
  return findSmallBrowser(env) ?? findChromium(env)
}

function findSmallBrowser(env: NodeJS.ProcessEnv): string | undefined {
  return [env.BERTH_CHROMIUM, HEADLESS_SHELL_PATH].find((path) => path && existsSync(path))
}

/** Returns the path of the browser for tests. Installs the headless shell if it is missing. */
export async function ensureTestBrowser(): Promise<string> {
  if (!findSmallBrowser(process.env) && canInstallAptPackages()) {
    const packages = ['chromium-headless-shell', 'fonts-liberation']
    // Without a network, an installed Chromium serves as well.
    await listInstallableAptPackages(packages)
      .then(installAptPackages)
      .catch((error: unknown) => {
        if (!findChromium()) throw error
      })
  }
  return findTestBrowser() ?? ensureChromium()
}

/** Returns the path of Chromium. Installs it if it is missing. */
export async function ensureChromium(): Promise<string> {
  if (!findChromium() && !isSnap()) await installAptPackages(['chromium', 'fonts-liberation'])
  const path = findChromium()
  if (path) return path
  throw new CliError(
    `Browser tests need Chromium: ${howToGetChromium()}, or set BERTH_CHROMIUM to its path`
  )
}

export function howToGetChromium(): string {
  if (isSnap()) return 'snap install chromium'
  return isDebianLike() ? 'apt-get install chromium' : "install your system's chromium"
}

/** Ubuntu's package `chromium` only installs the snap. */
function isSnap(): boolean {
  return readOsRelease().families.includes('ubuntu')
}
