import { notSupported, databaseOperationFailed } from '#databases/errors'
import DatabaseServer from '#databases/models/database_server'
import { ADMIN_USER, WITHOUT_CREDENTIALS, withConnection } from '#databases/mongodb/connect'
import { MONGODB_ERROR_CODES, mongodbErrorCode } from '#databases/mongodb/mongodb_errors'
import {
  readMachineInfo,
  findSuiteWithPackages,
  runPreflight,
  MONGODB_SERIES,
  packageSource,
  memoryProblem,
} from '#databases/mongodb/preflight'
import { readServerVersion } from '#databases/mongodb/transfer/dump'
import type { ServerApi, ServerState } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import {
  enableService,
  installAptPackages,
  type ProgressReporter,
  runCommand,
} from '#guest/public_effects'
import { conflict, AppError } from '#core/app_error'
import type { Machine } from '#packages/machine/main'
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { readScript } from '#packages/machine/read_script'

const SERVICE_NAME = 'mongod'
const LOG_PATH = '/var/log/mongodb/mongod.log'
const NOT_STARTED_MESSAGE = 'The database server did not start'
const NOT_INSTALLED_MESSAGE = 'The database server could not be installed'

const ADD_SOURCE_SCRIPT = readScript(import.meta, 'add_source.sh')

/**
 * File that the last step of an installation creates. Without it, the server's status is `absent`, so an interrupted
 * installation runs again.
 */
const READY_MARKER_PATH = '/etc/mongod.berth-ready'
const SOURCES_LIST_PATH = '/etc/apt/sources.list.d/berth-mongodb.list'

// Removes the package source after a failed installation. Otherwise every later `apt update` would contact a broken
// repository.
const REMOVE_SOURCE_COMMAND = ['rm', '-f', SOURCES_LIST_PATH]

const CONFIGURE_SCRIPT = readScript(import.meta, 'configure.sh')

const SERVER_STATE_SCRIPT = readScript(import.meta, 'read_server_state.sh')

export const mongodbServerApi: ServerApi = {
  warning({ memoryBytes }) {
    const bytes = Number(memoryBytes)
    if (!bytes || bytes >= 1_900_000_000) return null
    return `MongoDB works well with at least 2 GB of memory. The package of this server instance has ${(bytes / 1e9).toFixed(1)} GB, which is enough only for small databases. Choose a larger package for more data.`
  },
  unsupportedReason({ memoryBytes }) {
    const bytes = Number(memoryBytes)
    return bytes ? memoryProblem(bytes) : null
  },
  preflight: runPreflight,
  install,
  state: (server) => (server.instance ? stateThere(server) : stateOfManaged(server)),

  async act(server, action) {
    assertThere(server)
    const argv = ['systemctl', action, SERVICE_NAME]
    await runCommand(
      server.machine,
      `The database server could not be ${ACTION_PARTICIPLES[action]}`,
      argv,
      {
        user: 'root',
        timeout: 120_000,
      }
    )
  },

  async log(server) {
    assertThere(server)
    const argv = ['tail', '-n', '300', '--', LOG_PATH]
    return runCommand(server.machine, 'The log could not be read', argv, {
      user: 'root',
      timeout: 30_000,
    })
  },
}

const ACTION_PARTICIPLES = { start: 'started', stop: 'stopped', restart: 'restarted' } as const

function assertThere({ instance }: Server): void {
  if (!instance) throw notSupported('Only your hosting provider can manage this database server.')
}

/**
 * Installs MongoDB from MongoDB's package repository, and creates an administrator for Berth. The server listens
 * only on its own machine. Safe to run again after an interruption.
 */
async function install(server: Server, progress: ProgressReporter): Promise<void> {
  const { machine, instance, accountId } = server
  await progress.report('Checking whether MongoDB can run on this server instance')
  const { unsupportedReason } = await runPreflight(instance!, machine)
  if (unsupportedReason) throw conflict(unsupportedReason)
  await assertNotByHand(server)
  const password = await keepSecret(instance!.id, accountId)
  await addPackages(server, progress)
  await progress.report('Setting up MongoDB')
  const changed = await configure(server)
  await enableService(machine, NOT_STARTED_MESSAGE, SERVICE_NAME)
  if (changed) await mongodbServerApi.act(server, 'restart')
  await progress.report('Creating the administrator')
  await makeAdministrator(server, password, progress)
  await runCommand(machine, NOT_INSTALLED_MESSAGE, ['touch', READY_MARKER_PATH], {
    user: 'root',
    timeout: 30_000,
  })
}

/** Throws 409 if somebody has installed MongoDB without Berth. Berth must not change that server's configuration. */
async function assertNotByHand({ machine }: Server): Promise<void> {
  const of = await lookAt(machine)
  if (of('package') !== 'installed' || of('ours') === 'yes') return
  throw conflict(
    'Somebody installed MongoDB on this server instance by hand. The console would change its settings and users, so nothing was done. Remove the package mongodb-org-server and install MongoDB here, or manage it by hand.'
  )
}

/**
 * Saves the administrator's password before the server gets it. A password that only the server had would be lost
 * after a crash.
 */
async function keepSecret(serverInstanceId: number, accountId: number): Promise<string> {
  const key = { serverInstanceId, engine: 'mongodb' as const }
  const row =
    (await DatabaseServer.query().where(key).first()) ??
    new DatabaseServer().merge({ ...key, accountId, status: 'installing' })
  row.secret ??= randomBytes(24).toString('base64url')
  await row.save()
  return row.secret
}

async function addPackages({ machine }: Server, progress: ProgressReporter): Promise<void> {
  const { package: there } = await readMachineInfo(machine)
  if (there === 'installed') return
  await progress.report('Looking for the MongoDB packages')
  const suite = await findSuiteWithPackages(machine)
  if (!suite) throw conflict(`${NOT_INSTALLED_MESSAGE}: MongoDB offers no package for this system.`)
  const { repository, key } = packageSource()
  const argv = [
    'sh',
    '-c',
    ADD_SOURCE_SCRIPT,
    'berth-mongodb',
    repository,
    key,
    MONGODB_SERIES,
    suite,
  ]
  try {
    await runCommand(machine, NOT_INSTALLED_MESSAGE, argv, { user: 'root', timeout: 120_000 })
    await installAptPackages(machine, NOT_INSTALLED_MESSAGE, progress, ['mongodb-org-server'])
  } catch (error) {
    await runCommand(machine, NOT_INSTALLED_MESSAGE, REMOVE_SOURCE_COMMAND, { user: 'root' }).catch(
      () => {}
    )
    throw error
  }
}

async function configure({ machine }: Server): Promise<boolean> {
  const { memory } = await readMachineInfo(machine)
  const options = { user: 'root' as const, cwd: '/', timeout: 30_000 }
  const { code, stderr } = await machine.exec(['sh', '-c', CONFIGURE_SCRIPT], {
    ...options,
    stdin: mongodConfig(Number(memory)),
  })
  if (code !== 0 && code !== 4)
    throw databaseOperationFailed(`${NOT_STARTED_MESSAGE}: ${stderr.toString().trim()}`)
  return code === 0
}

/**
 * The cache gets a quarter of the memory, at least 0.25 GB, because sites and applications run on the same instance.
 * @param memory bytes of the instance
 */
export function mongodConfig(memory: number): string {
  const cache = Math.max(0.25, Math.round((memory / 1024 ** 3) * 25) / 100)
  return `# Written by Berth.
storage:
  dbPath: /var/lib/mongodb
  wiredTiger:
    engineConfig:
      cacheSizeGB: ${cache}
systemLog:
  destination: file
  path: ${LOG_PATH}
  logAppend: true
net:
  bindIp: 127.0.0.1
  port: 27017
processManagement:
  timeZoneInfo: /usr/share/zoneinfo
security:
  authorization: enabled
`
}

/** While there is no user, MongoDB lets a local connection create one without a sign-in. */
async function makeAdministrator(
  server: Server,
  pwd: string,
  { signal }: ProgressReporter
): Promise<void> {
  const command = { createUser: ADMIN_USER, pwd, roles: [{ role: 'root', db: 'admin' }] }
  for (let tries = 1; ; tries++) {
    try {
      await withConnection(
        server,
        (client) => client.db('admin').command(command),
        WITHOUT_CREDENTIALS
      )
      break
    } catch (error) {
      const cause = error instanceof AppError ? error.cause : error
      if (error instanceof AppError && error.status === 503 && tries < 10) {
        signal.throwIfAborted()
        // After its start, the server takes some time to open the port.
        await sleep(1_000, undefined, { signal })
        continue
      }
      // An interrupted run or an earlier installation may already have created the user.
      const isThere =
        mongodbErrorCode(cause) === MONGODB_ERROR_CODES.userExists ||
        (error as AppError).status === 403
      if (!isThere && (error as AppError).code !== 'invalid') throw error
      break
    }
  }
  try {
    await withConnection(server, (client) => client.db('admin').command({ connectionStatus: 1 }))
  } catch (error) {
    if (error instanceof AppError && error.status === 503) throw error
    throw databaseOperationFailed(
      'MongoDB runs with users of an earlier installation, so the console cannot sign in. Move the folder /var/lib/mongodb away on the server instance, or restore the administrator berth_admin. Then try again.'
    )
  }
}

async function lookAt(machine: Machine): Promise<(key: string) => string> {
  const output = await runCommand(
    machine,
    'The state of the database server could not be read',
    [
      'sh',
      '-c',
      SERVER_STATE_SCRIPT,
      'berth-mongodb',
      SERVICE_NAME,
      READY_MARKER_PATH,
      SOURCES_LIST_PATH,
    ],
    {
      timeout: 30_000,
    }
  )
  return (key) => new RegExp(`^${key}=(.*)$`, 'm').exec(output)?.[1] ?? ''
}

async function stateThere({ machine }: Server): Promise<ServerState> {
  const of = await lookAt(machine)
  if (of('package') !== 'installed' || of('ready') !== 'yes') {
    return { status: 'absent', version: null, problem: null }
  }
  const version = of('version') ? `MongoDB ${of('version')}` : null
  const active = of('active')
  const freeBytes = Number(of('free')) || null
  if (active === 'active' || active === 'reloading') {
    return { status: 'running', version, problem: null, freeBytes }
  }
  if (active === 'failed') {
    return {
      status: 'failed',
      version,
      problem: 'MongoDB stopped unexpectedly. See its log for the reason, then start it again.',
    }
  }
  return { status: 'stopped', version, problem: null, freeBytes }
}

async function stateOfManaged(server: Server): Promise<ServerState> {
  try {
    const version = `MongoDB ${await withConnection(server, readServerVersion)}`
    return { status: 'running', version, problem: null }
  } catch (error) {
    return { status: 'failed', version: null, problem: (error as Error).message }
  }
}
