import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, readlinkSync, symlinkSync, unlinkSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Incus, type PublicServices } from '../packages/incus/main.js'
import { ensureBaseImage } from './host/base_image.js'
import { INSTALLATION_HOME_PATH, removeIncus, startIncus, type RunningIncus } from './host/incus.js'
import { privateIncusSocketPath, SYSTEM_INCUS_SOCKET_PATH } from './host/incus_daemon.js'
import { ensureHostPackages } from './host/host_packages.js'
import { hasSystemd, isDebianLike } from './host/operating_system.js'
import { watchBridgePorts } from './host/bridge_ports.js'
import { watchConnectionLimits } from './host/connection_limits.js'
import { watchOomKills } from './host/oom_kills.js'
import { keepPoolQuotasConsistent } from './host/pool_quotas.js'
import { defaultHomePath, StateFile, type BerthHome } from './berth_home.js'
import { ensureSystemGroup } from './system_users.js'
import type { CleanupStack } from './cleanup_stack.js'
import { incusGroup } from './process_users.js'
import type { LocalServices } from './roles.js'
import { print, runStep, colorize } from './print.js'

/**
 * The Incus daemon of this machine, which may still be starting. Its promises never reject, because Berth's other
 * functions work without Incus.
 */
export interface StartingIncusHost {
  /** For the environment of Berth's processes. Known before Incus responds. */
  services: LocalServices
  /** True once Incus responds, false if it cannot be started. */
  ready: Promise<boolean>
  /** True once the base image also exists, which is built in the background. */
  image: Promise<boolean>
}

export interface IncusHostOptions {
  /** In bytes. Default: depends on the free disk space (`host/pool_size.ts`). */
  poolSize?: number
  /** Public services on this machine that its instances may use. Default: none. */
  services?: PublicServices
  /** Removes Incus with all instances at the end. For tests. */
  removeAtEnd?: boolean
  /**
   * Incus starts only after this promise has resolved. If two homes start on one machine, the second can use packages
   * and images that the first has installed and built.
   */
  after?: Promise<unknown>
}

export function findIncusHostProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root'
  if (!isDebianLike()) return 'neither Debian nor Ubuntu'
  return undefined
}

export const disabledIncusHost: StartingIncusHost = {
  services: {},
  ready: Promise.resolve(false),
  image: Promise.resolve(false),
}

export function usesSystemIncus(home: BerthHome): boolean {
  return hasSystemd() && [defaultHomePath, INSTALLATION_HOME_PATH].includes(home.path)
}

/**
 * Installs and starts Incus in the background. If this machine cannot be a host, prints the reason and returns
 * `disabledIncusHost`.
 */
export function startIncusHost(
  home: BerthHome,
  life: CleanupStack,
  options: IncusHostOptions = {}
): StartingIncusHost {
  const reason = findIncusHostProblem()
  if (reason) {
    print(
      `This machine is not a host (${reason}). Everything else starts. ./berth doctor shows what is missing and how to add a host`
    )
    return disabledIncusHost
  }
  const system = usesSystemIncus(home)
  const incusHome = system ? INSTALLATION_HOME_PATH : chooseIncusHome(home)
  const socket = system ? SYSTEM_INCUS_SOCKET_PATH : privateIncusSocketPath(incusHome)
  linkIncus(home, dirname(socket))

  const ready = Promise.resolve(options.after)
    .then(() => start(incusHome, life, options))
    .then(
      () => true,
      (error: Error) => {
        print(`${colorize('red', '✗')} No local host: ${error.message}. See ./berth doctor`)
        return false
      }
    )
  const image = ready.then((up) => up && ensureImage(socket))
  return { services: { incusSocket: socket }, ready, image }
}

/**
 * Maximum length of a home's path. Incus creates sockets in subfolders of its folder, and the path of a socket may have
 * at most 108 bytes (unix(7)).
 */
const maxIncusHomeLength = 60

/**
 * Returns a folder for Incus and saves it in the state. The root user of an unprivileged instance is an ordinary user
 * on this machine, who must be able to enter every parent folder. So a home below /root needs a folder elsewhere.
 */
function chooseIncusHome(home: BerthHome): string {
  const state = new StateFile(home.path)
  const savedFolder = state.get('incusPlace')
  if (savedFolder) return savedFolder
  const nobody = ['--reuid=65534', '--regid=65534', '--clear-groups']
  const access = spawnSync('setpriv', [...nobody, 'test', '-x', home.path], { cwd: '/' })
  const folder =
    access.status === 0 && home.path.length <= maxIncusHomeLength
      ? home.path
      : join(INSTALLATION_HOME_PATH, 'homes', randomBytes(6).toString('hex'))
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  state.set('incusPlace', folder)
  return folder
}

function linkIncus(home: BerthHome, folder: string): void {
  const link = join(home.path, 'incus')
  const existing = lstatSync(link, { throwIfNoEntry: false })
  if (folder === link || (existing && !existing.isSymbolicLink())) return
  if (existing && readlinkSync(link) === folder) return
  if (existing) unlinkSync(link)
  symlinkSync(folder, link)
}

async function start(
  incusHome: string,
  life: CleanupStack,
  options: IncusHostOptions
): Promise<void> {
  const { poolSize, services } = options
  const report = (line: string) => print(`  ${colorize('dim', line)}`)
  await runStep('Install the packages of a host', () => ensureHostPackages({ report }))
  const ending = new AbortController()
  const { signal } = ending
  const group = incusGroup(incusHome === INSTALLATION_HOME_PATH && hasSystemd())
  const gid = await ensureSystemGroup(group)
  const incus = await runStep('Start Incus', () =>
    startIncus({ home: incusHome, report, group, poolSize, services })
  )
  // An Incus daemon that was already running may have been started without this group.
  await chown(incus.socket, 0, gid)
  const watching = [
    keepPoolQuotasConsistent({ poolPath: incus.poolPath, socket: incus.socket, signal, report }),
    watchConnectionLimits({ bridge: incus.network, socket: incus.socket, signal, report }),
    watchBridgePorts({ bridge: incus.network, socket: incus.socket, signal, report }),
    watchOomKills({ socket: incus.socket, signal, report }),
    incus.keep({ signal, report }),
  ]
  life.atEnd(async () => {
    ending.abort()
    await Promise.all(watching)
    if (!options.removeAtEnd) return leave(incus)
    await removeIncus({ home: incusHome })
  })
}

/**
 * Config key that marks the watchdog: Berth's own container on each host, which is not an instance of a customer
 * (app/hosts/watchdog).
 */
const WATCHDOG_KEY = 'user.berth.keeper'

/**
 * Stops the home's own Incus daemon, but not customers' instances, for example during an upgrade. After the next start,
 * Berth manages them again. If no instance is running, also stops the watchdog, the bridge and its dnsmasq.
 */
async function leave(running: RunningIncus): Promise<void> {
  const incus = Incus.local(running.socket)
  const instances = await incus.instances.list().finally(() => incus.close())
  const alive = instances.filter(
    ({ status, config }) => status !== 'Stopped' && !config[WATCHDOG_KEY]
  ).length
  if (alive) print(`${alive} instance(s) keep running. The next ./berth up manages them again`)
  await running.stop({ instances: alive === 0 })
}

async function ensureImage(socket: string): Promise<boolean> {
  const incus = Incus.local(socket)
  const report = (line: string) => print(`  ${colorize('dim', line)}`)
  try {
    await runStep('Build the base image of instances', () => ensureBaseImage({ incus, report }))
    return true
  } catch (error) {
    print(`${colorize('red', '✗')} ${(error as Error).message}`)
    return false
  } finally {
    await incus.close()
  }
}
