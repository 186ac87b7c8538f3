import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { builtBackupServerCommand, listenOnBackupSocket } from './backup/socket.js'
import { UNFINISHED_RESTORE_MARKER } from './backup/restore_home.js'
import { buildFolder } from './build.js'
import { firstRunSteps, readFirstAdmin } from './first_run.js'
import { claimHome, CliError, openHome, type BerthHome } from './berth_home.js'
import { CleanupStack } from './cleanup_stack.js'
import { createCaddyProcessSpecs, describeLocalEdge, rebuildOutdatedCaddy } from './local_edge.js'
import { hostShellCommand, listenOnHostShellSocket } from './host_shell_socket.js'
import { disabledIncusHost, startIncusHost, usesSystemIncus } from './incus_host.js'
import { openDatabase } from './postgres/open_database.js'
import { poolSizeOptionFromEnv } from './preconditions.js'
import { hostShellSocketPath, ensureProcessUsers, createProcessSpecs } from './process_users.js'
import { serveSandboxes, builtSandboxCommand } from './sandbox_launcher.js'
import { activateRelease, runningRelease } from './release/releases.js'
import { listenOnUpgradeSocket } from './release/up_process_manager.js'
import { configuredMachineRoles } from './service/settings_file.js'
import { assertPortsFree, portsFromEnv, publicServices, commonProcessEnv } from './roles.js'
import { formatDuration, print, runStep, colorize } from './print.js'
import { runAceIfExists, migrateDatabase, waitFor200 } from './ace_commands.js'
import { Supervisor } from './supervisor.js'

export interface UpOptions {
  demo: boolean
}

/**
 * Starts all processes of Berth on this machine, and keeps them running until Ctrl-C or SIGTERM. Does not build Berth.
 */
export async function runUpCommand(options: UpOptions): Promise<number> {
  const started = performance.now()
  const life = new CleanupStack()
  const home = await openHome()
  life.atEnd(claimHome(home.path))
  assertWhole(home)
  let failed = false
  await life.during(async () => {
    const ports = portsFromEnv()
    const host = process.env.HOST ?? '0.0.0.0'
    await assertPortsFree(ports, host)

    const edge = describeLocalEdge(home)
    const services = publicServices(ports, edge)
    const parts = configuredMachineRoles()
    const localHost = parts.includes('host')
      ? startIncusHost(home, life, { ...poolSizeOptionFromEnv(), services })
      : disabledIncusHost
    const database = await runStep(
      'Start PostgreSQL',
      async () => {
        const opened = await openDatabase(home)
        life.atEnd(() => opened.stop())
        return opened
      },
      ({ description }) => description
    )
    const local = { ...localHost.services, ...(parts.includes('edge') && { edge }) }
    const env = commonProcessEnv({ home, database, ports, mode: 'production', local })
    const always = Boolean(process.env.DATABASE_URL)
    const [privileges] = await Promise.all([
      ensureProcessUsers(home, { build: buildFolder, systemIncus: usesSystemIncus(home) }),
      runStep(
        'Update the tables',
        () => migrateDatabase({ home, database, env, from: 'build', always }),
        (outcome) => outcome
      ),
    ])
    const isFirst = (await readFirstAdmin(home)) === undefined
    await runFirstRunSteps(home, env, { demo: options.demo, hostIsUp: false })

    const supervisor = new Supervisor({
      logs: home.logs,
      report: print,
      summarizeLine: logLineForConsole,
    })
    life.atEnd(async () => {
      print('Stopping…')
      await supervisor.stop()
    })
    const health = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${ports.web}/health`
    // Starts the web process first, because the person waits for the console's page.
    const [web, ...others] = await createProcessSpecs({
      home,
      build: buildFolder,
      env,
      database,
      privileges,
    })
    const healthy = await runStep('Start the console', async () => {
      await supervisor.start(web)
      // Also requests a page, because the first request loads the page renderer. The other processes start only after
      // that, because they would slow it down.
      return (await waitFor200(health, 120_000)) && waitFor200(new URL('/', health).href, 20_000)
    })
    if (!healthy) {
      failed = true
      print(`${colorize('red', '✗')} The console does not respond. See ${home.logs}/web.log`)
      return
    }
    if (privileges && env.HOST_TERMINAL !== 'off') {
      life.atEnd(await listenOnHostShellSocket(hostShellSocketPath(home), hostShellCommand))
    }
    life.atEnd(await listenOnBackupSocket(home, builtBackupServerCommand, privileges?.backup))
    if (privileges) life.atEnd(await serveSandboxes(home, builtSandboxCommand))
    life.atEnd(await listenOnUpgradeSocket(home, supervisor))
    for (const role of others) await supervisor.start(role)
    await activateRelease(home, runningRelease())
    print(`${colorize('green', '✓')} Started ${others.map(({ name }) => name).join(', ')}`)
    if (!env.VAULT_DATABASE_URL) {
      print('Vaults are off: with DATABASE_URL, the vault service also needs VAULT_DATABASE_URL')
    }
    if (!env.MAIL_DATABASE_URL) {
      print('Email is off: with DATABASE_URL, the mail service also needs MAIL_DATABASE_URL')
    }
    await printWelcome(home, String(env.APP_URL), isFirst)
    print(`Ready after ${formatDuration(performance.now() - started)}. Ctrl-C stops everything.`)

    const hostIsUp = await localHost.ready
    if (parts.includes('edge')) {
      await rebuildOutdatedCaddy()
      for (const role of await createCaddyProcessSpecs(home, edge, privileges))
        await supervisor.start(role)
    }
    if (hostIsUp) {
      await runFirstRunSteps(home, env, { demo: options.demo, hostIsUp: true }).catch(
        (error: Error) => print(`${colorize('red', '✗')} ${error.message}`)
      )
    }
    await life.stopRequested
  })
  return failed ? 1 : 0
}

/** @throws CliError if a restore into this home was interrupted */
function assertWhole({ path }: BerthHome): void {
  if (!existsSync(join(path, UNFINISHED_RESTORE_MARKER))) return
  throw new CliError(`A restore into ${path} was interrupted. Run ./berth restore again`)
}

/**
 * Runs the steps that are wanted (`firstRunSteps`): either those before the processes start, or those that need the
 * local host. Some run at each start.
 */
export async function runFirstRunSteps(
  home: BerthHome,
  env: NodeJS.ProcessEnv,
  { demo, hostIsUp }: { demo: boolean; hostIsUp: boolean },
  from: 'build' | 'sources' = 'build'
): Promise<void> {
  for (const { title, command, needsHost, wanted, keep } of firstRunSteps) {
    if (needsHost !== hostIsUp || !wanted({ home, demo })) continue
    await runStep(
      title,
      async () => {
        const done = await runAceIfExists(from, command, env)
        if (done) await keep?.({ home, demo }, done.output, String(env.APP_URL))
        return done
      },
      (done) => (done ? '' : 'not part of this version')
    )
  }
}

/** Prints the console's addresses and, at the first start, the administrator's credentials. */
export async function printWelcome(home: BerthHome, url: string, isFirst: boolean): Promise<void> {
  const admin = await readFirstAdmin(home)
  print()
  print(`  Berth           ${colorize('bold', url)}`)
  if (admin) print(`  Administration  ${colorize('bold', `${url}/admin/login`)}`)
  if (admin && isFirst) {
    // Later starts do not print the password again, but this file still contains it.
    print(`  E-mail          ${colorize('bold', admin.email)}`)
    print(`  Password        ${colorize('bold', admin.password)}`)
    print(`  (stored in ${home.path}/first-admin.json)`)
  }
  print()
}

/**
 * Returns the text to print for a line in a role's log: the message of an error, or a line that is not a JSON log
 * record, such as a stack trace. Returns undefined for other lines.
 */
export function logLineForConsole(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() ? line : undefined
  try {
    const { level, msg } = JSON.parse(line) as { level?: number; msg?: string }
    return typeof level === 'number' && level >= 50 ? msg : undefined
  } catch {
    return line
  }
}
