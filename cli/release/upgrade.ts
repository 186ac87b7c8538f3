import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { buildFolder } from '../build.js'
import { claimLock, CliError, openHome, type BerthHome } from '../berth_home.js'
import { raiseKernelLimits } from '../host/kernel_limits.js'
import { describeLocalEdge } from '../local_edge.js'
import { usesSystemIncus, findIncusHostProblem } from '../incus_host.js'
import { releaseHomePath, installSourcePath, installRoot } from '../paths.js'
import { hardLinkedFilesWarning } from '../postgres/server.js'
import { findRunningDatabase, openDatabase } from '../postgres/open_database.js'
import { selectRows, type BerthDatabase } from '../postgres/connections.js'
import { ensureProcessUsers, createProcessSpecs, type ProcessUsers } from '../process_users.js'
import { portsFromEnv, commonProcessEnv, roleNames } from '../roles.js'
import { runProgram } from '../run_program.js'
import { print, runStep, colorize } from '../print.js'
import {
  assertCanInstallService,
  incusSocketPath,
  berthHomePath,
  hostAndSocketUnits,
} from '../service/install.js'
import { configuredMachineRoles } from '../service/settings_file.js'
import { addUnits, listInstalledUnits, systemctl } from '../service/systemd.js'
import { unitName } from '../service/units.js'
import { migrateDatabase } from '../ace_commands.js'
import {
  FIRST_ADDITIVE_MIGRATION,
  checkMigrations,
  listBreakingChanges,
} from './migration_compatibility.js'
import type { ProcessManager } from './process_manager.js'
import {
  activateRelease,
  releaseCommand,
  reexecFromRelease,
  findLinkedRelease,
  makeRelease,
  runningRelease,
  pruneReleases,
  releaseOfBuildFolder,
  type Release,
} from './releases.js'
import { reportExitingProcesses } from './report_exiting_processes.js'
import {
  RoleNotReadyError,
  RESTART_ORDER,
  replaceRole,
  waitForExitingRoles,
  listExitingRoles,
} from './replace_role.js'
import { createSystemdProcessManager } from './systemd_process_manager.js'
import { findUpProcessManager } from './up_process_manager.js'

/**
 * Upgrades Berth. Builds the new release next to the existing ones, then runs the new release's own command, which does
 * the rest. To continue after an interruption, run the same command again.
 * @param source a package, archive or folder with the new version. Default: this checkout or package
 * @param back whether to return to the previous release instead
 * @throws CliError if Berth does not run, or the release does not exist
 */
export async function upgrade(
  source = installSourcePath,
  { back = false, withBackup = true } = {}
): Promise<number> {
  const home = await openHome(berthHomePath())
  process.env.BERTH_HOME = home.path
  const { close } = await findRunningInstallation(home)
  close()
  const release = back ? theOneBefore(home) : await theNew(home, source)
  // A return to the previous release changes no tables, so no backup is needed.
  const how = back || !withBackup ? ['--without-backup'] : []
  reexecFromRelease(release, ['upgrade', '--here', ...how])
  return 1
}

function theOneBefore(home: BerthHome): Release {
  const before = findLinkedRelease(home, 'before')
  if (before) return before
  throw new CliError('There is no earlier release to return to')
}

function theNew(home: BerthHome, source: string): Promise<Release> {
  return runStep(
    'Build the release',
    () => makeRelease(home, source),
    ({ version }) => version
  )
}

/**
 * If this command does not run from a release in the home, runs it again from one. Outside of the home, another version
 * could be installed, which would change the files of running processes.
 */
export async function reexecFromOwnRelease(): Promise<void> {
  if (releaseHomePath) return
  assertCanInstallService()
  const home = await openHome(berthHomePath())
  process.env.BERTH_HOME = home.path
  reexecFromRelease(await theNew(home, installRoot))
}

/**
 * Finds the running `./berth up`, otherwise the installed systemd units. Replaces this process's environment by that of
 * `./berth up`, which it requests over the upgrade socket.
 * @throws CliError if there is neither
 */
async function findRunningInstallation(
  home: BerthHome
): Promise<{ processManager: ProcessManager; isService: boolean; close(): void }> {
  const up = await findUpProcessManager(home)
  if (up) {
    // Removes all other variables, because the new processes must get exactly the environment of the running ones.
    for (const name of Object.keys(process.env)) delete process.env[name]
    Object.assign(process.env, up.env, { BERTH_HOME: home.path })
    return { processManager: up.processManager, isService: false, close: up.close }
  }
  if ((await listInstalledUnits()).length) {
    return { processManager: createSystemdProcessManager(home), isService: true, close: () => {} }
  }
  throw new CliError(
    `Berth does not run on ${home.path}, so there is nothing to upgrade. Start this version with ./berth up or ./berth install`
  )
}

/**
 * Replaces the processes of all roles, one role at a time. If a new process does not become ready, runs the command of
 * the previous release, which starts its own processes again.
 * @param failed set if this call undoes an upgrade: the reason why the new release failed
 */
export async function replaceRunningRelease({
  failed,
  withBackup,
}: {
  failed?: string
  withBackup: boolean
}): Promise<number> {
  const home = await openHome(berthHomePath())
  process.env.BERTH_HOME = home.path
  const claimed = claimLock(join(home.path, 'upgrade.pid'))
  if (typeof claimed !== 'function') {
    throw new CliError(`Another upgrade is running (process ${claimed})`)
  }
  const { processManager, isService, close } = await findRunningInstallation(home)
  const own = runningRelease()
  const error = await replaceAll(home, processManager, { isService, withBackup }).then(
    () => undefined,
    (thrown: Error) => thrown
  )
  const inUse = error
    ? []
    : (await processManager.list()).map(({ folder }) => releaseOfBuildFolder(folder).path)
  claimed()
  close()
  if (error) return giveUp(home, error, failed)
  if (failed) {
    print(`${colorize('red', '✗')} ${failed}`)
    print(`The upgrade was undone. Version ${own.version} still runs`)
    return 1
  }
  await activateRelease(home, own)
  const gone = await pruneReleases(home, inUse)
  if (gone.length) print(`Removed old releases: ${gone.join(', ')}`)
  const linkedFiles = await hardLinkedFilesWarning(home)
  if (linkedFiles) print(`${colorize('red', '✗')} ${linkedFiles}`)
  print(
    `${colorize('green', '✓')} Version ${own.version} runs. To return to the previous release: berth upgrade --back`
  )
  return 0
}

/**
 * Undoes the upgrade by running the command of the previous release. If there is none, or this process already undoes
 * an upgrade, prints where the documentation explains what to do.
 * @throws the error again, unless it is a RoleNotReadyError
 */
function giveUp(home: BerthHome, error: Error, failed?: string): number {
  if (!(error instanceof RoleNotReadyError)) throw error
  const own = runningRelease()
  print(`${colorize('red', '✗')} Version ${own.version}: ${error.message}. Last log lines:`)
  for (const line of error.lines) print(`  ${line}`)
  const current = findLinkedRelease(home, 'current')
  if (failed || !current || current.path === own.path) {
    print('See docs/runbooks/failed_upgrade.md')
    return 1
  }
  const reason = `Version ${own.version} was not installed: ${error.message}`
  reexecFromRelease(current, ['upgrade', '--here', '--without-backup', '--failed', reason])
  return 1
}

async function replaceAll(
  home: BerthHome,
  processManager: ProcessManager,
  { isService, withBackup }: { isService: boolean; withBackup: boolean }
): Promise<void> {
  const database = process.env.DATABASE_URL
    ? await openDatabase(home)
    : await findRunningDatabase(home)
  if (!database) throw new CliError('The database does not respond. See: berth status')
  const services = local(home)
  const env = commonProcessEnv({
    home,
    database,
    ports: portsFromEnv(),
    mode: 'production',
    local: services,
  })
  const due = await dueMigrations(database)
  const current = findLinkedRelease(home, 'current')
  if (withBackup && current && current.path !== installRoot) await backUp(current, env)
  if (due.length) {
    await runStep(
      'Update the tables',
      () => migrateDatabase({ home, database, env, from: 'build', always: true }),
      () => due.join(', ')
    )
  }
  const privileges = await ensureProcessUsers(home, {
    build: buildFolder,
    systemIncus: usesSystemIncus(home),
  })
  if (privileges) await raiseKernelLimits(() => {})
  const parts = isService ? configuredMachineRoles() : roleNames
  const names = roleNames.filter((name) => parts.includes(name))
  const roles = await createProcessSpecs({
    home,
    env,
    database,
    privileges,
    build: buildFolder,
    names,
  })
  roles.sort((one, other) => RESTART_ORDER.indexOf(one.name) - RESTART_ORDER.indexOf(other.name))
  for (const role of roles) {
    await runStep(`Replace ${role.name}`, () => replaceRole(processManager, home, role))
  }
  if (isService && privileges) await renewOtherUnits(home, privileges)
  const leaving = await listExitingRoles(processManager)
  if (leaving.length) {
    await runStep(`Wait until these processes finish: ${leaving.join(', ')}`, async () => {
      const stopReports = await reportExitingProcesses({ processManager, home, isService, print })
      await waitForExitingRoles(processManager).finally(stopReports)
    })
  } else await waitForExitingRoles(processManager)
}

function local(home: BerthHome) {
  const parts = configuredMachineRoles()
  return {
    ...(parts.includes('edge') && { edge: describeLocalEdge(home) }),
    ...(parts.includes('host') &&
      !findIncusHostProblem() && { incusSocket: incusSocketPath(home) }),
  }
}

/** @throws CliError if the running release could not work with the tables after these migrations */
async function dueMigrations({ ownerUrl }: BerthDatabase): Promise<string[]> {
  const folder = join(buildFolder, 'database/migrations')
  const names = (await readdir(folder))
    .filter((file) => file.endsWith('.js'))
    .map((file) => file.slice(0, -3))
  const ran = await selectRows<{ name: string }>(ownerUrl, 'select name from adonis_schema')
  const has = new Set(ran.map(({ name }) => name.replace(/^.*\//, '')))
  const due = names.filter((name) => !has.has(name)).sort()
  const held = due.filter((name) => name > FIRST_ADDITIVE_MIGRATION)
  const why = listBreakingChanges(await checkMigrations(folder, held, '.js'), has)
  if (why.length === 0) return due
  throw new CliError(
    `The running release cannot work with the tables of this release: ${why.join('; ')}. Upgrade to a release in between first`
  )
}

/** Makes a backup with the running release's code, because that code matches the current tables. */
async function backUp(current: Release, env: NodeJS.ProcessEnv): Promise<void> {
  const [node] = releaseCommand(current)
  const build = join(current.path, 'build')
  await runStep(
    'Back up the newest data',
    async () => {
      const argv = [node, join(build, 'bin/console.js'), 'backups:point']
      const { code, output } = await runProgram(argv, { env, cwd: build })
      if (/Command ".*" is not defined/.test(output)) return 'the running release cannot do this'
      if (code === 0) return output.trim().split(/\]\s*/).at(-1)!
      throw new CliError(
        `${output.trim()}\nFix the backup (docs/guides/backup.md), or upgrade without it: upgrade --without-backup`
      )
    },
    (summary) => summary
  )
}

/**
 * Replaces the units of the host and of the sockets. Instances and running programs continue. For new connections,
 * systemd then starts the programs of this release.
 */
async function renewOtherUnits(home: BerthHome, privileges: ProcessUsers): Promise<void> {
  const units = hostAndSocketUnits(home, privileges)
  await addUnits(units)
  // The previous release may not have had all of these units, so some sockets may not be open yet.
  const sockets = units.map(({ name }) => name).filter((name) => name.endsWith('.socket'))
  if (sockets.length) await systemctl('start', ...sockets)
  if (configuredMachineRoles().includes('host')) {
    await runStep('Restart the host', () => systemctl('restart', '--no-block', unitName('host')))
  }
}
