import { parseArgs } from 'node:util'
import { CliRefusal } from './home.js'
import { isBuilt } from './paths.js'
import { say } from './say.js'

const help = `Usage: ./berth COMMAND

  up [--yes] [--demo]   bring everything up on this machine and keep it running
  dev                   the same from the sources, with hot reload
  test [FILE…]          install what tests need and run all of them, or only some
  check                 types, lint, formatting, dependency rule
  bench NAME            measure, print a table, write bench/results/NAME.json
  doctor                what this machine has, what is missing, how to add it
  backup TARGET         everything but instances to a folder or s3:https://host/bucket/folder
  backup --sheet        the recovery sheet: the key that opens backups
  backup --list TARGET  the points that a target has
  restore TARGET [--at TIME] [--replace]
                        a home as it was; BACKUP_KEY, or it asks for the key
  restore TARGET --instances | --instance NAME
                        instances that the Incus of this machine lacks
  outbox [--json]       mails caught while no SMTP server is configured
  help                  this text

Environment: BERTH_HOME (where everything is kept; .berth), PORT (3333), HOST (0.0.0.0),
DATABASE_URL (a PostgreSQL of your own, 15 or newer), SMTP_URL, APP_URL.`

/** Each command loads only what it needs: `outbox` should not pay for `test`. */
const commands: Record<string, (rest: string[]) => Promise<number>> = {
  async up(rest) {
    const { values } = parseArgs({
      args: rest,
      options: { yes: { type: 'boolean' }, demo: { type: 'boolean', default: false } },
    })
    if (!isBuilt) await (await import('./build.js')).continueFromBuild()
    return (await import('./up.js')).up({ demo: values.demo })
  },
  async dev(rest) {
    parseArgs({ args: rest, options: {} })
    return (await import('./dev.js')).dev()
  },
  async test(rest) {
    const { positionals } = parseArgs({ args: rest, options: {}, allowPositionals: true })
    return (await import('./test.js')).test(positionals)
  },
  async check(rest) {
    parseArgs({ args: rest, options: {} })
    return (await import('./check.js')).check()
  },
  async bench(rest) {
    const { positionals } = parseArgs({ args: rest, options: {}, allowPositionals: true })
    return (await import('./bench.js')).bench(positionals[0])
  },
  async doctor(rest) {
    parseArgs({ args: rest, options: {} })
    return (await import('./doctor.js')).doctor()
  },
  async backup(rest) {
    const { values, positionals } = parseArgs({
      args: rest,
      options: { sheet: { type: 'boolean' }, list: { type: 'boolean' } },
      allowPositionals: true,
    })
    const { backup, list, sheet } = await import('./backup/command.js')
    if (values.sheet) return sheet()
    if (!positionals[0]) throw new CliRefusal(`Where to? See ./berth help`)
    return values.list ? list(positionals[0]) : backup(positionals[0])
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
    const [place] = positionals
    if (!place) throw new CliRefusal(`Where from? See ./berth help`)
    const { restoreCommand, restoreInstances } = await import('./backup/command.js')
    if (values.instances || values.instance) return restoreInstances(place, values.instance)
    return restoreCommand(place, values)
  },
  async outbox(rest) {
    const { values } = parseArgs({
      args: rest,
      options: { json: { type: 'boolean', default: false } },
    })
    return (await import('./outbox.js')).outbox(values.json)
  },
  async help() {
    say(help)
    return 0
  },
}

async function main(argv: string[]): Promise<number> {
  const [name = 'help', ...rest] = argv
  const command = name === '--help' || name === '-h' ? commands.help : commands[name]
  if (!command) {
    say(`Unknown command "${name}"\n\n${help}`)
    return 2
  }
  return command(rest)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isOurs = error instanceof CliRefusal
  const isUsage = String((error as NodeJS.ErrnoException).code).startsWith('ERR_PARSE_ARGS')
  const text = isOurs || isUsage ? (error as Error).message : ((error as Error).stack ?? error)
  process.stderr.write(`${text}\n`)
  process.exitCode = isUsage ? 2 : 1
}
// Connections that are still closing must not keep a finished command alive.
process.exit()
