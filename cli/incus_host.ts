import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { lstatSync, mkdirSync, symlinkSync } from 'node:fs'
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

/** The Incus of this machine on its way up. Neither promise rejects: without it everything else still runs. */
export interface StartingIncusHost {
  /** What the processes are told at once, before Incus answers. */
  services: LocalServices
  /** True once Incus answers. */
  ready: Promise<boolean>
  /** True once the base image is there too; it is built in the background. */
  image: Promise<boolean>
}

export interface IncusHostOptions {
  /** Bytes of the storage pool when it is made; by the free disk unless told (`host/pool_size.ts`). */
  poolSize?: number
  /** What of this machine its instances may reach; nothing unless told. */
  services?: PublicServices
  /** Take everything away at the end, instances included. For tests. */
  removeAtEnd?: boolean
  /** Begins once this is done: two that share a machine share what the first one installs and builds. */
  after?: Promise<unknown>
}

/** Why this machine cannot be a host by itself; undefined when it can. */
export function whyNoIncusHost(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root'
  if (!isDebianLike()) return 'neither Debian nor Ubuntu'
  return undefined
}

/** Of a machine that is to be no host. */
export const disabledIncusHost: StartingIncusHost = {
  services: {},
  ready: Promise.resolve(false),
  image: Promise.resolve(false),
}

/** Whether the Incus of a home is the service of the system. */
export function usesSystemIncus(home: BerthHome): boolean {
  return hasSystemd() && [defaultHomePath, INSTALLATION_HOME_PATH].includes(home.path)
}

/** Installs and starts Incus beside everything else; says in one line why where that cannot be. */
export function startIncusHost(
  home: BerthHome,
  life: CleanupStack,
  options: IncusHostOptions = {}
): StartingIncusHost {
  const reason = whyNoIncusHost()
  if (reason) {
    print(
      `This machine is not a host (${reason}). Everything else starts. ./berth doctor shows what is missing and how to add a host`
    )
    return disabledIncusHost
  }
  // Where systemd runs, the normal installation uses the system's own service.
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

/** Longest path of a unix socket (unix(7)); Incus makes some deeper than its own. */
const maxIncusHomeLength = 60

/**
 * Where Incus keeps its folder: the home, unless instances could not get there (the root of an
 * unprivileged instance is nobody here, and must pass through every folder above its own), as in /root.
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

/** `incus/` in the home leads to Incus wherever it is, for people and what they run. */
function linkIncus(home: BerthHome, folder: string): void {
  const link = join(home.path, 'incus')
  if (folder === link || lstatSync(link, { throwIfNoEntry: false })) return
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
  // One that ran already may have been started without the group.
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

/** Marks a container of ours that is nobody's instance (app/hosts/watchdog). */
const WATCHDOG_KEY = 'user.berth.keeper'

/**
 * Customers' instances go on while the console is away, as they do when it is upgraded; the next
 * start takes them up again. Where none runs, the bridge and its name server end too.
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
