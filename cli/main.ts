import { parseArgs } from 'node:util'
import { CliError } from './berth_home.js'
import { runsFromBuild, isPackaged } from './paths.js'
import { print } from './print.js'
import { loadSettingsIntoEnv } from './service/settings_file.js'

const help = `Usage: ./berth COMMAND

  up [--yes] [--demo]   start everything on this machine and keep it running
  install               run Berth as a systemd service; run again after you changed settings
  upgrade [SOURCE]      upgrade without downtime: to a package, an archive or a folder (default: this
                        checkout)
  upgrade --back        return to the previous release
  upgrade --without-backup
                        upgrade even if the newest data cannot be backed up first
  status [--json]       state of the service: roles, database, Incus, disk
  uninstall             remove the service; data is kept
  run ROLE              run only one role (web, gateway, vault, mail, worker, host), to spread Berth over machines
  database move --to system|URL
                        move all tables to Debian's PostgreSQL, or to another server
  edge build            build a current Caddy for public domains, because Debian's is old (needs Go; takes minutes)
  package [FOLDER]      build a .deb of this checkout
  package --tree FOLDER build a release as a folder, for upgrade
  dev                   like up, but from the sources, with hot reload
  pictures [--product]  take screenshots of all pages and dialogs (.berth/test/screenshots), or of the pages
                        that the README and the landing page show
  test [FILE…]          install the packages of the tests, then run all tests or some files
  test --fast [FILE…]   run the tests that need neither root nor Incus nor a browser (3 minutes), or some
                        of their files
  check                 check types, lint, formatting, the dependency rule, spelling and plain language
  check --changed       only what this branch and the working tree changed (seconds)
  format [--changed]    format all files or the changed ones, and correct what lint can correct
  bench NAME|all        run benchmarks, print a table, write bench/results and docs/benchmarks.md
  doctor                show what this machine has and lacks, and how to fix it
  backup TARGET         back up everything except instances to a folder or s3:https://host/bucket/folder
  backup --sheet        print the recovery sheet with the backup key
  backup --list TARGET  list the backups at a target
  restore TARGET [--at TIME] [--replace]
                        restore the data folder; reads the backup key from BACKUP_KEY or asks for it
  restore TARGET --instances | --instance NAME
                        restore instances that this machine does not have
  outbox [--json]       list emails that were not sent, for example because no mail server is configured
  help                  print this text

Environment: BERTH_HOME (folder of all data; default .berth), PORT (3333), HOST (0.0.0.0),
DATABASE_URL (your own PostgreSQL, 15 or newer), SMTP_URL, APP_URL.`

/**
 * Each command imports its modules only when it runs, so that `./berth outbox` does not load the code of `./berth
 * test`.
 */
const commands: Record<string, (rest: string[]) => Promise<number>> = {
  async up(rest) {
    const { values } = parseArgs({
      args: rest,
      options: { yes: { type: 'boolean' }, demo: { type: 'boolean', default: false } },
    })
    await (await import('./preconditions.js')).assertCanStart()
    if (!runsFromBuild) await (await import('./build.js')).reexecFromBuild()
    return (await import('./up.js')).runUpCommand({ demo: values.demo })
  },
  async install(rest) {
    parseArgs({ args: rest, options: {} })
    loadSettingsIntoEnv()
    await (await import('./service/install.js')).assertCanInstall()
    if (!runsFromBuild) await (await import('./build.js')).reexecFromBuild()
    await (await import('./release/upgrade.js')).reexecFromOwnRelease()
    return (await import('./service/install.js')).installService()
  },
  async uninstall(rest) {
    parseArgs({ args: rest, options: {} })
    loadSettingsIntoEnv()
    return (await import('./service/install.js')).uninstallService()
  },
  async upgrade(rest) {
    const { positionals, values } = parseArgs({
      args: rest,
      options: {
        back: { type: 'boolean', default: false },
        // `here` and `failed` are internal: `./berth upgrade` passes them when it runs the command of another release.
        here: { type: 'boolean', default: false },
        failed: { type: 'string' },
        'without-backup': { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    loadSettingsIntoEnv()
    const { replaceRunningRelease, upgrade } = await import('./release/upgrade.js')
    const withBackup = !values['without-backup']
    if (values.here) return replaceRunningRelease({ failed: values.failed, withBackup })
    return upgrade(positionals[0], { back: values.back, withBackup })
  },
  async status(rest) {
    const { values } = parseArgs({
      args: rest,
      options: { json: { type: 'boolean', default: false } },
    })
    loadSettingsIntoEnv()
    return (await import('./service/status.js')).printServiceStatus(values.json)
  },
  async run(rest) {
    const { positionals } = parseArgs({ args: rest, options: {}, allowPositionals: true })
    loadSettingsIntoEnv()
    if (!runsFromBuild) await (await import('./build.js')).reexecFromBuild()
    return (await import('./service/run_role.js')).runRole(positionals[0] ?? '')
  },
  async database(rest) {
    const { positionals, values } = parseArgs({
      args: rest,
      options: { to: { type: 'string' } },
      allowPositionals: true,
    })
    loadSettingsIntoEnv()
    if (positionals[0] !== 'move' || !values.to) {
      throw new CliError('./berth database move --to system|URL')
    }
    if (!runsFromBuild) await (await import('./build.js')).reexecFromBuild()
    // A move ends by installing the systemd services again, and services must run from a release.
    if ((await (await import('./service/systemd.js')).listInstalledUnits()).length)
      await (await import('./release/upgrade.js')).reexecFromOwnRelease()
    return (await import('./database/move_database.js')).moveDatabase(values.to)
  },
  async edge(rest) {
    const { positionals } = parseArgs({ args: rest, options: {}, allowPositionals: true })
    if (positionals.join(' ') !== 'build') throw new CliError('./berth edge build')
    if (process.getuid?.() !== 0) throw new CliError('./berth edge build needs root')
    const { buildCaddy } = await import('./host/caddy.js')
    const { runStep } = await import('./print.js')
    const { path } = await runStep('Build Caddy', buildCaddy, ({ version }) => version)
    print(
      `${path} serves public domains after the next start of Berth. Run ./berth install, or restart ./berth up.`
    )
    return 0
  },
  async package(rest) {
    const { positionals, values } = parseArgs({
      args: rest,
      options: { tree: { type: 'string' } },
      allowPositionals: true,
    })
    const { buildDebianPackage, buildRelease } = await import('./debian_package/build.js')
    return values.tree ? buildRelease(values.tree) : buildDebianPackage(positionals[0])
  },
  async dev(rest) {
    parseArgs({ args: rest, options: {} })
    return (await import('./dev.js')).runDevCommand()
  },
  async test(rest) {
    const { positionals, values } = parseArgs({
      args: rest,
      options: { fast: { type: 'boolean', default: false } },
      allowPositionals: true,
    })
    const { runFastTests, runTests } = await import('./test.js')
    return values.fast ? runFastTests(positionals) : runTests(positionals)
  },
  async pictures(rest) {
    const { values } = parseArgs({ args: rest, options: { product: { type: 'boolean' } } })
    process.env.BERTH_PICTURES = values.product ? 'product' : 'yes'
    const file = values.product ? 'browser/landing_page_screenshots' : 'pages/every_page'
    return (await import('./test.js')).runTests([`tests/${file}.spec.ts`])
  },
  async check(rest) {
    const { values } = parseArgs({ args: rest, options: { changed: { type: 'boolean' } } })
    return (await import('./check.js')).runStaticChecks({ onlyChanged: values.changed })
  },
  async format(rest) {
    const { values } = parseArgs({ args: rest, options: { changed: { type: 'boolean' } } })
    return (await import('./check.js')).formatFiles({ onlyChanged: values.changed })
  },
  async bench(rest) {
    const { positionals } = parseArgs({ args: rest, options: {}, allowPositionals: true })
    return (await import('./bench.js')).runBenchmarks(positionals[0])
  },
  async doctor(rest) {
    parseArgs({ args: rest, options: {} })
    if (isPackaged) loadSettingsIntoEnv()
    return (await import('./doctor.js')).runDoctorCommand()
  },
  async backup(rest) {
    const { values, positionals } = parseArgs({
      args: rest,
      options: { sheet: { type: 'boolean' }, list: { type: 'boolean' } },
      allowPositionals: true,
    })
    const { runBackupCommand, printBackups, printRecoveryDocument } =
      await import('./backup/commands.js')
    if (values.sheet) return printRecoveryDocument()
    if (!positionals[0]) throw new CliError(`Name the backup target. See ./berth help`)
    return values.list ? printBackups(positionals[0]) : runBackupCommand(positionals[0])
  },
  async restore(rest) {
    const { values, positionals } = parseArgs({
      args: rest,
      options: {
        at: { type: 'string' },
        replace: { type: 'boolean', default: false },
        instances: { type: 'boolean', default: false },
        instance: { type: 'string' },
      },
      allowPositionals: true,
    })
    const [location] = positionals
    if (!location) throw new CliError(`Name the backup target to restore from. See ./berth help`)
    const { runRestoreCommand, restoreInstances } = await import('./backup/commands.js')
    if (values.instances || values.instance) return restoreInstances(location, values.instance)
    return runRestoreCommand(location, values)
  },
  async outbox(rest) {
    const { values } = parseArgs({
      args: rest,
      options: { json: { type: 'boolean', default: false } },
    })
    if (isPackaged) loadSettingsIntoEnv()
    return (await import('./unsent_mails.js')).printUnsentMails(values.json)
  },
  async help() {
    print(help)
    return 0
  },
}

async function main(argv: string[]): Promise<number> {
  const [name = 'help', ...rest] = argv
  const command = name === '--help' || name === '-h' ? commands.help : commands[name]
  if (!command) {
    print(`Unknown command "${name}"\n\n${help}`)
    return 2
  }
  return command(rest)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isOurs = error instanceof CliError
  const isUsage = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  const text = isOurs || isUsage ? (error as Error).message : ((error as Error).stack ?? error)
  process.stderr.write(`${text}\n`)
  process.exitCode = isUsage ? 2 : 1
}
// Exits immediately, even if some connections are not closed yet.
process.exit()
