import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFolder } from '../build.js'
import {
  CliError,
  findLockHolder,
  homePath,
  openHome,
  writePrivateJson,
  type BerthHome,
} from '../berth_home.js'
import { INSTALLATION_HOME_PATH } from '../host/incus.js'
import { hasSystemd } from '../host/operating_system.js'
import { ensureHostPackages } from '../host/host_packages.js'
import { findCaddy } from '../host/caddy.js'
import { createCaddyProcessSpecs, describeLocalEdge, rebuildOutdatedCaddy } from '../local_edge.js'
import { usesSystemIncus } from '../incus_host.js'
import { SYSTEM_INCUS_SOCKET_PATH } from '../host/incus_daemon.js'
import { readExternalServer } from '../postgres/external_server.js'
import { assertDiskSpace, poolSizeOptionFromEnv } from '../preconditions.js'
import { createServerSpec } from '../postgres/server.js'
import { openDatabase } from '../postgres/open_database.js'
import type { BerthDatabase } from '../postgres/connections.js'
import { ensureProcessUsers, createProcessSpecs, type ProcessUsers } from '../process_users.js'
import { activateRelease, runningRelease } from '../release/releases.js'
import {
  assertPortsFree,
  portsFromEnv,
  commonProcessEnv,
  roleNames,
  envNamesByRole,
  type LocalServices,
} from '../roles.js'
import { print, runStep, colorize } from '../print.js'
import { migrateDatabase, waitFor200 } from '../ace_commands.js'
import type { ProcessSpec } from '../supervisor.js'
import { runFirstRunSteps, printWelcome } from '../up.js'
import { readFirstAdmin } from '../first_run.js'
import { configuredMachineRoles, ensureSettingsFile, settingsFilePath } from './settings_file.js'
import { addUnits, listInstalledUnits, systemctl, removeUnits, replaceUnits } from './systemd.js'
import {
  credentialFile,
  hostUnit,
  postgresUnit,
  splitUnitEnv,
  fileParserSandboxUnits,
  hostShellUnits,
  backupUnits,
  TARGET_UNIT,
  targetUnit,
  unitFor,
  unitName,
  type Unit,
} from './units.js'

/**
 * Installs Berth as a systemd service: users, units, secrets, tables, and the start at boot. If Berth is already
 * installed, applies changed settings and restarts all units.
 * @throws CliError if this process is not root, or systemd is missing
 */
export async function installService(): Promise<number> {
  assertCanInstallService()
  const parts = configuredMachineRoles()
  const home = await openHome(berthHomePath())
  // Some modules read the path of the home from this variable.
  process.env.BERTH_HOME = home.path
  assertBerthNotRunning(home.path)
  await ensureSettingsFile(home.path)
  if (parts.includes('host') || parts.includes('edge')) await installWhatAHostNeeds()
  if (parts.includes('edge')) await rebuildOutdatedCaddy()

  const before = await listInstalledUnits()
  // Stops each unit by its name. If only the target were stopped, the command would return before the units have exited
  // and released their ports.
  const running = before.filter((name) => !name.includes('@'))
  if (running.length) await runStep('Stop running services', () => systemctl('stop', ...running))
  const host = process.env.HOST ?? '0.0.0.0'
  await assertPortsFree(portsFromEnv(), host)

  const { database, unit: postgres } = await runStep(
    'Start PostgreSQL',
    () => startDatabase(home),
    ({ database: { description } }) => description
  )
  const edge = describeLocalEdge(home)
  const local: LocalServices = {
    edge,
    ...(parts.includes('host') && { incusSocket: incusSocketPath(home) }),
  }
  const env = commonProcessEnv({ home, database, ports: portsFromEnv(), mode: 'production', local })
  const privileges = await ensureProcessUsers(home, {
    build: buildFolder,
    systemIncus: usesSystemIncus(home),
  })
  if (!privileges)
    throw new CliError('The processes cannot run as separate users. See the messages above')
  const serves = parts.includes('web') || parts.includes('worker')
  if (serves) {
    await runStep(
      'Update the tables',
      () => migrateDatabase({ home, database, env, from: 'build', always: true }),
      (outcome) => outcome
    )
  }
  const isFirst = (await readFirstAdmin(home)) === undefined
  if (parts.includes('web')) await runFirstRunSteps(home, env, { demo: false, hostIsUp: false })

  const names = roleNames.filter((name) => parts.includes(name))
  const roles = await createProcessSpecs({
    home,
    build: buildFolder,
    env,
    database,
    privileges,
    names,
  })
  const caddy = findCaddy()
  if (parts.includes('edge') && caddy) {
    if (caddy.isOutdated) {
      print(
        `Caddy ${caddy.version} is outdated and has known vulnerabilities. ./berth edge build builds a current one.`
      )
    }
    roles.push(...(await createCaddyProcessSpecs(home, edge, privileges)))
  }
  const units = [
    targetUnit(),
    ...(postgres ? [postgres] : []),
    ...roles.map((role) => unitFor(role, { home })),
    ...hostAndSocketUnits(home, privileges),
  ]
  await writeCredentials(home, roles)
  await runStep('Start the service', async () => {
    await replaceUnits(units)
    await systemctl('start', TARGET_UNIT)
  })
  await activateRelease(home, runningRelease())
  if (!parts.includes('web')) return 0
  const address = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${portsFromEnv().web}`
  const answers = await runStep('Wait for the first page', async () => {
    return (await waitFor200(`${address}/health`, 120_000)) && waitFor200(`${address}/`, 20_000)
  })
  if (!answers) {
    print(
      `${colorize('red', '✗')} The console does not respond. See: journalctl -u ${unitName('web')}`
    )
    return 1
  }
  await printWelcome(home, String(env.APP_URL), isFirst)
  print(`Berth now starts with this machine. Settings: ${settingsFilePath}. State: berth status`)
  return 0
}

/**
 * Returns the unit of the host, and the units that start a program for each connection. Which ones depends on the
 * machine's roles.
 */
export function hostAndSocketUnits(home: BerthHome, { backup }: ProcessUsers): Unit[] {
  const parts = configuredMachineRoles()
  const shells = parts.includes('gateway') && process.env.HOST_TERMINAL !== 'off'
  return [
    ...(parts.includes('host') ? [hostUnit(home)] : []),
    ...(shells ? hostShellUnits(home) : []),
    ...(parts.includes('worker') ? backupUnits(home, backup) : []),
    ...(parts.includes('web') || parts.includes('worker') ? fileParserSandboxUnits(home) : []),
  ]
}

/** Keeps Berth's data, settings, system users and instances. */
export async function uninstallService(): Promise<number> {
  assertCanInstallService()
  const units = await listInstalledUnits()
  if (units.length === 0) {
    print('Berth is not installed as a service on this machine')
    return 0
  }
  const home = berthHomePath()
  await runStep('Stop and remove the service', async () => {
    await systemctl('stop', TARGET_UNIT)
    await removeUnits(units)
    await rm(join(home, 'credentials'), { recursive: true, force: true })
  })
  print(`Data remains in ${home}, settings in ${settingsFilePath}. Instances keep running`)
  return 0
}

/**
 * Checks the requirements of `./berth install`. Called before the build and before the first change to the machine.
 * @throws CliError that says how to meet the requirement
 */
export async function assertCanInstall(env: NodeJS.ProcessEnv = process.env): Promise<void> {
  poolSizeOptionFromEnv(env)
  const ports = portsFromEnv(env)
  configuredMachineRoles(env)
  assertCanInstallService()
  const home = berthHomePath(env)
  assertBerthNotRunning(home)
  await assertDiskSpace(home, env)
  // On an existing installation, the ports are not free, because the running services use them. These stop before the
  // new ones start.
  if ((await listInstalledUnits()).length === 0) await assertPortsFree(ports, env.HOST ?? '0.0.0.0')
}

export function assertCanInstallService(): void {
  if (process.getuid?.() !== 0) throw new CliError('Only root can do this')
  if (!hasSystemd()) {
    throw new CliError('This machine does not use systemd. Use ./berth up instead')
  }
}

/**
 * Returns BERTH_HOME if it is set, otherwise the home that `./berth up` has created, otherwise the default home of
 * services.
 */
export function berthHomePath(env: NodeJS.ProcessEnv = process.env): string {
  const own = homePath(env)
  return env.BERTH_HOME || existsSync(join(own, 'secrets.json')) ? own : INSTALLATION_HOME_PATH
}

function assertBerthNotRunning(home: string): void {
  const holder = findLockHolder(join(home, 'berth.pid'))
  if (!holder) return
  throw new CliError(`./berth up runs on ${home} (process ${holder}). Stop it first`)
}

/** Installs packages that only a host needs. If that fails, Berth must start nevertheless. */
async function installWhatAHostNeeds(): Promise<void> {
  // A maintainer script runs while dpkg holds its lock. dpkg has already installed these packages as dependencies.
  if (process.env.DPKG_MAINTSCRIPT_PACKAGE) return
  const report = (line: string) => print(`  ${colorize('dim', line)}`)
  await runStep('Install the packages of a host', () => ensureHostPackages({ report })).catch(
    (error: Error) => print(`${colorize('red', '✗')} No local host yet: ${error.message}`)
  )
}

export function incusSocketPath(home: BerthHome): string {
  return usesSystemIncus(home) ? SYSTEM_INCUS_SOCKET_PATH : join(home.path, 'incus', 'unix.socket')
}

async function startDatabase(home: BerthHome): Promise<{ database: BerthDatabase; unit?: Unit }> {
  if (process.env.DATABASE_URL || readExternalServer(home))
    return { database: await openDatabase(home) }
  const unit = postgresUnit(await createServerSpec(home), home)
  await addUnits([unit])
  await systemctl('start', unit.name)
  return { database: await openDatabase(home), unit }
}

async function writeCredentials(home: BerthHome, roles: ProcessSpec[]): Promise<void> {
  const folder = join(home.path, 'credentials')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const having = roles.filter(({ name }) => name in envNamesByRole)
  for (const role of having)
    await writePrivateJson(credentialFile(home, role.name), splitUnitEnv(role).secret)
  const names = new Set(having.map(({ name }) => name))
  for (const name of await readdir(folder)) {
    if (!names.has(name)) await rm(join(folder, name))
  }
}
