import { notSupported } from '#databases/errors'
import { queryRows } from '#databases/mysql/admin'
import { withConnection } from '#databases/mysql/connect'
import type { PreflightResult, ServerApi, ServerState } from '#databases/servers/engine_driver'
import type { Server } from '#databases/servers/server'
import { installMariadb, runCommand } from '#guest/public_effects'
import { freeBytesWithinQuota, type ServerInstance } from '#instances/public'
import type { Machine } from '#packages/machine/main'
import { readScript } from '#packages/machine/read_script'

const BYTES_PER_MB = 1024 * 1024

/** With less memory than `least`, MariaDB does not start. With less than `fair`, it is slow. */
const MEMORY_REQUIREMENT_BYTES = { least: 192 * BYTES_PER_MB, fair: 512 * BYTES_PER_MB }
/** `least`: space for packages and initial files. `fair`: also for some data. */
const DISK_REQUIREMENT_BYTES = { least: 600 * BYTES_PER_MB, fair: 2_048 * BYTES_PER_MB }

const SERVER_STATE_SCRIPT = readScript(import.meta, 'read_server_state.sh')

const FREE_SPACE_COMMAND = ['df', '-B1', '--output=avail', '/var/lib']

const MACHINE_TIMEOUT_MS = 20_000

async function readServerState({ machine }: Server): Promise<ServerState> {
  const what = 'The state of the database server could not be read'
  const text = await runCommand(machine, what, ['sh', '-c', SERVER_STATE_SCRIPT], {
    timeout: MACHINE_TIMEOUT_MS,
  })
  const [there, unit = '', version = '', free = ''] = text.split('\n').map((line) => line.trim())
  const freeBytes = /^\d+$/.test(free) ? Number(free) : null
  if (there !== 'there') return { status: 'absent', version: null, problem: null, freeBytes }
  const number = /Ver (\d[\w.]*)/.exec(version)?.[1]
  const status = unit === 'active' ? 'running' : unit === 'failed' ? 'failed' : 'stopped'
  return {
    status,
    version: number ? `MariaDB ${number}` : null,
    problem:
      status === 'failed'
        ? 'The database server stopped unexpectedly. See its log, then start it again.'
        : null,
    freeBytes,
  }
}

async function versionOf(server: Server): Promise<ServerState> {
  return withConnection(server, {}, async (connection) => {
    const [row] = await queryRows<{ version: string }>(connection, 'SELECT VERSION() AS version')
    const [number, product] = row.version.split('-')
    const version = `${product === 'MariaDB' ? 'MariaDB' : 'MySQL'} ${number}`
    return { status: 'running', version, problem: null, freeBytes: null }
  })
}

function warning({ memoryBytes }: Pick<ServerInstance, 'memoryBytes'>): string | null {
  if (Number(memoryBytes) >= MEMORY_REQUIREMENT_BYTES.fair) return null
  return `This server instance has ${Math.round(Number(memoryBytes) / BYTES_PER_MB)} MB of memory. A MySQL server needs about ${MEMORY_REQUIREMENT_BYTES.fair / BYTES_PER_MB} MB in addition to your sites. With less memory, it is slow or stops when memory runs out. Choose a larger package.`
}

function unsupportedReason({ memoryBytes }: Pick<ServerInstance, 'memoryBytes'>): string | null {
  if (Number(memoryBytes) >= MEMORY_REQUIREMENT_BYTES.least) return null
  return `A MySQL server needs at least ${MEMORY_REQUIREMENT_BYTES.least / BYTES_PER_MB} MB of memory, which this server instance does not have. Choose a larger package.`
}

async function preflight(instance: ServerInstance, machine: Machine): Promise<PreflightResult> {
  const tooSmall = unsupportedReason(instance)
  if (tooSmall) return { unsupportedReason: tooSmall, warning: null }
  const what = 'The free disk space could not be read'
  const output = await runCommand(machine, what, FREE_SPACE_COMMAND, {
    timeout: MACHINE_TIMEOUT_MS,
  })
  const free = freeBytesWithinQuota(instance, Number(output.trim().split('\n').at(-1)))!
  const left = `${Math.floor(free / BYTES_PER_MB)} MB are free on the disk of this server instance`
  if (free < DISK_REQUIREMENT_BYTES.least) {
    const problem = `${left}, but a MySQL server needs ${DISK_REQUIREMENT_BYTES.least / BYTES_PER_MB} MB to start. Delete files, or choose a larger package.`
    return { unsupportedReason: problem, warning: null }
  }
  const small =
    free < DISK_REQUIREMENT_BYTES.fair ? `${left}. Databases will soon fill the disk.` : null
  const text = [warning(instance), small].filter(Boolean).join(' ')
  return { unsupportedReason: null, warning: text || null }
}

/** Manages the MariaDB package of Debian on an instance. On a managed server, only reads the state. */
export const mysqlServerApi: ServerApi = {
  warning,
  unsupportedReason,
  preflight,
  install: (server, progress) => {
    assertOwn(server)
    return installMariadb(server.machine, progress)
  },
  state: (server) => (server.instance ? readServerState(server) : versionOf(server)),
  async act(server, action) {
    assertOwn(server)
    const argv = ['systemctl', action, '--', 'mariadb']
    await runCommand(server.machine, `The database server could not ${action}`, argv, {
      user: 'root',
      timeout: 180_000,
    })
  },
  log(server) {
    assertOwn(server)
    const argv = ['journalctl', '-u', 'mariadb', '-n', '300', '--no-pager', '-o', 'short-iso']
    return runCommand(server.machine, 'The log could not be read', argv, {
      user: 'root',
      timeout: MACHINE_TIMEOUT_MS,
    })
  },
}

function assertOwn({ instance }: Server): void {
  if (instance) return
  throw notSupported('Only your hosting provider can manage this database server.')
}
