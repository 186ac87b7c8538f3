import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { backupProgram, openBackupSocket } from './backup/socket.js'
import { UNFINISHED_MARKER } from './backup/restore.js'
import { buildFolder } from './build.js'
import { firstRunSteps, readFirstAdmin } from './first_run.js'
import { claimHome, CliError, openHome, type Home } from './home.js'
import { Lifetime } from './lifetime.js'
import { edgeRoles, edgeService } from './local_edge.js'
import { hostShellProgram, openHostShells } from './host_shell.js'
import { noLocalHost, startLocalHost, usesSystemIncus } from './local_host.js'
import { openDatabase } from './postgres.js'
import { hostShell, preparePrivileges, rolesOf } from './privileges.js'
import { openSandboxes, sandboxProgram } from './sandbox_socket.js'
import { becomeCurrent, ownRelease } from './release/releases.js'
import { openToUpgrades } from './release/up_process_manager.js'
import { configuredParts } from './service/settings.js'
import { assertPortsFree, choosePorts, publicServices, roleEnv } from './roles.js'
import { duration, print, step, colorize } from './print.js'
import { aceIfThere, migrate, waitFor200 } from './services.js'
import { Supervisor } from './supervisor.js'

export interface UpOptions {
  demo: boolean
}

/**
 * Brings everything up on this machine and keeps it running until Ctrl-C or SIGTERM. It needs the
 * build, from which it is itself run.
 */
export async function up(options: UpOptions): Promise<number> {
  const started = performance.now()
  const life = new Lifetime()
  const home = await openHome()
  life.atEnd(claimHome(home.path))
  assertWhole(home)
  let failed = false
  await life.during(async () => {
    const ports = choosePorts()
    const host = process.env.HOST ?? '0.0.0.0'
    await assertPortsFree(ports, host)

    const edge = edgeService(home)
    const services = publicServices(ports, edge)
    const parts = configuredParts()
    const localHost = parts.includes('host')
      ? startLocalHost(home, life, { ...poolSize(), services })
      : noLocalHost
    const database = await step(
      'Start PostgreSQL',
      async () => {
        const opened = await openDatabase(home)
        life.atEnd(() => opened.stop())
        return opened
      },
      ({ words }) => words
    )
    const local = { ...localHost.services, ...(parts.includes('edge') && { edge }) }
    const env = roleEnv({ home, database, ports, mode: 'production', local })
    const always = Boolean(process.env.DATABASE_URL)
    const [privileges] = await Promise.all([
      preparePrivileges(home, { build: buildFolder, systemIncus: usesSystemIncus(home) }),
      step(
        'Update the tables',
        () => migrate({ home, database, env, from: 'build', always }),
        (outcome) => outcome
      ),
    ])
    const isFirst = (await readFirstAdmin(home)) === undefined
    await firstRun(home, env, { demo: options.demo, hostIsUp: false })

    const supervisor = new Supervisor({ logs: home.logs, say: print, news })
    life.atEnd(async () => {
      print('Stopping…')
      await supervisor.stop()
    })
    const health = `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${ports.web}/health`
    // The console first: somebody waits for its page, nobody for the others yet.
    const [web, ...others] = await rolesOf({ home, build: buildFolder, env, database, privileges })
    const healthy = await step('Start the console', async () => {
      await supervisor.start(web)
      // The first page loads what draws pages; the other processes must not compete with that.
      return (await waitFor200(health, 120_000)) && waitFor200(new URL('/', health).href, 20_000)
    })
    if (!healthy) {
      failed = true
      print(`${colorize('red', '✗')} The console does not respond. See ${home.logs}/web.log`)
      return
    }
    if (privileges && env.HOST_TERMINAL !== 'off') {
      life.atEnd(await openHostShells(hostShell(home), hostShellProgram))
    }
    life.atEnd(await openBackupSocket(home, backupProgram, privileges?.backup))
    if (privileges) life.atEnd(await openSandboxes(home, sandboxProgram))
    life.atEnd(await openToUpgrades(home, supervisor))
    for (const role of others) await supervisor.start(role)
    await becomeCurrent(home, ownRelease())
    print(`${colorize('green', '✓')} Started ${others.map(({ name }) => name).join(', ')}`)
    if (!env.VAULT_DATABASE_URL) {
      print('Vaults are off: with DATABASE_URL, the vault service also needs VAULT_DATABASE_URL')
    }
    if (!env.MAIL_DATABASE_URL) {
      print('Email is off: with DATABASE_URL, the mail service also needs MAIL_DATABASE_URL')
    }
    await introduce(home, String(env.APP_URL), isFirst)
    print(`Ready after ${duration(performance.now() - started)}. Ctrl-C stops everything.`)

    if ((await localHost.ready) && parts.includes('edge')) {
      for (const role of await edgeRoles(home, edge, privileges)) await supervisor.start(role)
      await firstRun(home, env, { demo: options.demo, hostIsUp: true }).catch((error: Error) =>
        print(`${colorize('red', '✗')} ${error.message}`)
      )
    }
    await life.stopAsked
  })
  return failed ? 1 : 0
}

/** @throws CliError for a half of a restore */
function assertWhole({ path }: Home): void {
  if (!existsSync(join(path, UNFINISHED_MARKER))) return
  throw new CliError(`A restore into ${path} was interrupted. Run ./berth restore again`)
}

/** POOL_SIZE: GiB of the storage pool when it is made; by the free disk unless told. */
export function poolSize(env: NodeJS.ProcessEnv = process.env): { poolSize?: number } {
  const gib = Number(env.POOL_SIZE)
  return gib > 0 ? { poolSize: gib * 1024 ** 3 } : {}
}

/** Runs the first-run steps that are due: before the processes start, or once the local host is up. */
export async function firstRun(
  home: Home,
  env: NodeJS.ProcessEnv,
  { demo, hostIsUp }: { demo: boolean; hostIsUp: boolean },
  from: 'build' | 'sources' = 'build'
): Promise<void> {
  for (const { title, command, needsHost, wanted, keep } of firstRunSteps) {
    if (needsHost !== hostIsUp || !wanted({ home, demo })) continue
    await step(
      title,
      async () => {
        const done = await aceIfThere(from, command, env)
        if (done) await keep?.({ home, demo }, done.output, String(env.APP_URL))
        return done
      },
      (done) => (done ? '' : 'not part of this version')
    )
  }
}

/** Says where the console is and, once, who may sign in there. */
export async function introduce(home: Home, url: string, isFirst: boolean): Promise<void> {
  const admin = await readFirstAdmin(home)
  print()
  print(`  Berth           ${colorize('bold', url)}`)
  if (admin) print(`  Administration  ${colorize('bold', `${url}/admin/login`)}`)
  if (admin && isFirst) {
    // Shown once; later it stands only in the file.
    print(`  E-mail          ${colorize('bold', admin.email)}`)
    print(`  Password        ${colorize('bold', admin.password)}`)
    print(`  (kept in ${home.path}/first-admin.json)`)
  }
  print()
}

/** Of what the processes log, people see errors and whatever is no log record (a crash's stack). */
export function news(line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() ? line : undefined
  try {
    const { level, msg } = JSON.parse(line) as { level?: number; msg?: string }
    return typeof level === 'number' && level >= 50 ? msg : undefined
  } catch {
    return line
  }
}
