import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Incus } from '../../packages/incus/main.js'
import { findLockHolder, openHome, type BerthHome } from '../berth_home.js'
import { STORAGE_POOL_NAME } from '../host/incus.js'
import { SYSTEM_INCUS_SOCKET_PATH } from '../host/incus_daemon.js'
import { installRoot } from '../paths.js'
import { readExternalServer } from '../postgres/external_server.js'
import { findRunningDatabase, openDatabase } from '../postgres/open_database.js'
import { selectRows } from '../postgres/connections.js'
import { usesEmbeddedPrograms } from '../postgres/cluster_folder.js'
import { workerHealthSocketPath } from '../process_users.js'
import { findLinkedRelease, releaseOfBuildFolder } from '../release/releases.js'
import {
  portsFromEnv,
  listeningPortNames,
  startableRoles,
  envNamesByRole,
  type ProcessPorts,
} from '../roles.js'
import { print, formatTable, colorize } from '../print.js'
import { usesSystemIncus } from '../incus_host.js'
import { berthHomePath } from './install.js'
import { configuredMachineRoles } from './settings_file.js'
import { listInstalledUnits, readUnitProperties } from './systemd.js'
import { UNIT_SUFFIXES, unitName } from './units.js'

export interface ServiceStatusLine {
  /** Subject of the line: the name of a unit without `berth-`, such as `web`, or `database`, `incus`, `disk`. */
  what: string
  ok: boolean
  /** SubState of a running unit, such as `running`, ActiveState of others, or a text such as `no unit` or `ok`. */
  state: string
  detail: string
}

export interface ServiceStatus {
  version: string
  home: string
  ok: boolean
  lines: ServiceStatusLine[]
}

const UNIT_PROPERTIES = [
  'Id',
  'ActiveState',
  'SubState',
  'NRestarts',
  'MemoryCurrent',
  'UnitFileState',
  'WorkingDirectory',
]
/** Free disk space below which the status is not ok, because Berth will soon fail. */
const LOW_DISK_BYTES = 2 * 1024 ** 3

/** Returns exit code 0 if everything is ok, 1 if not, 3 if Berth is not installed as a service. */
export async function printServiceStatus(asJson: boolean): Promise<number> {
  const units = (await listInstalledUnits()).filter((name) =>
    /^berth-[a-z]+(-2)?\.(service|socket)$/.test(name)
  )
  if (units.length === 0) {
    const home = berthHomePath()
    const process = findLockHolder(join(home, 'berth.pid'))
    if (asJson) print(JSON.stringify({ ok: false, lines: [], ...(process && { process }) }))
    else if (process) print(`./berth up runs on ${home} (process ${process}), not as a service`)
    else print('Berth is not installed as a service on this machine. Run: berth install')
    return 3
  }
  const seen = await look(units)
  if (asJson) print(JSON.stringify(seen, null, 2))
  else {
    const rows = seen.lines.map(({ what, ok, state, detail }) => [
      what,
      ok ? 'ok' : 'NOT OK',
      state,
      detail,
    ])
    print(`Berth ${seen.version} in ${seen.home}`)
    print(formatTable(['what', '', 'state', 'detail'], rows))
    const bad = seen.lines.filter(({ ok }) => !ok).map(({ what }) => what)
    print()
    print(
      bad.length
        ? colorize(
            'red',
            `These parts have problems: ${bad.join(', ')}. See: journalctl -u 'berth-*'`
          )
        : 'All parts are running.'
    )
  }
  return seen.ok ? 0 : 1
}

async function look(units: string[]): Promise<ServiceStatus> {
  const home = await openHome(berthHomePath())
  const seen = [
    unitLines(units, home),
    missingLines(units),
    database(home),
    incus(home),
    disk(home),
  ]
  const lines = (await Promise.all(seen)).flat()
  const version = findLinkedRelease(home, 'current')?.version ?? (await ownVersion())
  return { version, home: home.path, ok: lines.every(({ ok }) => ok), lines }
}

/** Returns a line for each configured role that has no unit, for example for an edge proxy whose ports were in use. */
function missingLines(units: string[]): ServiceStatusLine[] {
  const wanted = configuredMachineRoles()
  const { DATABASE_URL } = process.env
  // With DATABASE_URL, vault and mail have units only if the operator has set the database URLs of these services.
  const possible = DATABASE_URL ? startableRoles(wanted, process.env) : wanted
  return possible
    .filter((part) => !UNIT_SUFFIXES.some((suffix) => units.includes(unitName(part, suffix))))
    .map((what) => ({
      what,
      ok: false,
      state: 'no unit',
      detail: 'run berth install to see the reason',
    }))
}

async function unitLines(units: string[], home: BerthHome): Promise<ServiceStatusLine[]> {
  const shown = await readUnitProperties(units, UNIT_PROPERTIES)
  const ports = portsFromEnv()
  return Promise.all(
    shown.map(async (unit) => {
      const what = unit.Id.replace(/^berth-|(-2)?\.\w+$/g, '')
      const runs = unit.ActiveState === 'active'
      const ready = runs ? await readinessOf(what, home, ports) : ''
      const restarts = Number(unit.NRestarts || 0)
      const memory = Number(unit.MemoryCurrent)
      const detail = [
        portsOf(what, ports),
        ready && `health: ${ready}`,
        what in envNamesByRole ? releaseOfBuildFolder(unit.WorkingDirectory).version : '',
        Number.isSafeInteger(memory) && memory > 0 ? `${Math.round(memory / 1024 ** 2)} MB` : '',
        restarts ? `restarted ${restarts} times` : '',
        unit.UnitFileState === 'enabled' ? '' : 'not started at boot',
      ]
      return {
        what,
        ok: runs && ['', 'ok'].includes(ready) && unit.UnitFileState === 'enabled',
        state: runs ? unit.SubState : unit.ActiveState,
        detail: detail.filter(Boolean).join(', '),
      }
    })
  )
}

function portsOf(what: string, ports: ProcessPorts): string {
  const own = listeningPortNames.filter((name) => name === what || name.startsWith(`${what}_`))
  return own.length ? `port ${own.map((name) => ports[name]).join(', ')}` : ''
}

/** Returns `ok` or the error. Returns an empty string if the unit has no health check. */
async function readinessOf(what: string, home: BerthHome, ports: ProcessPorts): Promise<string> {
  const { HOST } = process.env
  const host = !HOST || HOST === '0.0.0.0' ? '127.0.0.1' : HOST
  if (what === 'web' || what === 'gateway' || what === 'vault' || what === 'mail') {
    return fetchHealth({ host, port: ports[what] })
  }
  if (what === 'worker') return fetchHealth({ socketPath: workerHealthSocketPath(home) })
  if (what === 'broker') return answers(join(home.path, 'broker/web/incus'))
  if (what === 'edge') return answers(join(home.path, 'edge/admin.sock'))
  return ''
}

/** Returns the status that the process reports, such as `ok`. Otherwise returns the HTTP status or the error. */
export function fetchHealth(where: {
  host?: string
  port?: number
  socketPath?: string
}): Promise<string> {
  return new Promise((done) => {
    const outgoing = request({ ...where, path: '/health', timeout: 5_000 }, async (response) => {
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      done(parseStatus(text) ?? `code ${response.statusCode}`)
    })
    outgoing.once('timeout', () => outgoing.destroy(new Error('does not respond')))
    outgoing.once('error', (error) => done(error.message))
    outgoing.end()
  })
}

function parseStatus(text: string): string | undefined {
  try {
    return (JSON.parse(text) as { status?: string }).status
  } catch {
    return undefined
  }
}

function answers(path: string): Promise<string> {
  return new Promise((done) => {
    const socket = connect(path, () => {
      socket.destroy()
      done('ok')
    })
    socket.once('error', (error) => done(error.message))
  })
}

async function database(home: BerthHome): Promise<ServiceStatusLine> {
  const line = (ok: boolean, state: string, detail: string) => ({
    what: 'database',
    ok,
    state,
    detail,
  })
  try {
    const runningDatabase = process.env.DATABASE_URL
      ? await openDatabase(home)
      : await findRunningDatabase(home)
    const isEmbedded = usesEmbeddedPrograms(home)
    const where =
      readExternalServer(home)?.at ??
      (process.env.DATABASE_URL ? 'DATABASE_URL' : isEmbedded ? 'embedded' : 'system')
    if (!runningDatabase) return line(false, 'away', where)
    const sql = `select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes`
    const [{ version, bytes }] = await selectRows<{ version: string; bytes: number }>(
      runningDatabase.appUrl,
      sql
    )
    const size = `${Math.round(bytes / 1024 ** 2)} MB`
    const advice =
      where === 'embedded' ? ', meant for trials. To change: berth database move --to system' : ''
    return line(true, 'answers', `${where}, PostgreSQL ${version.split(' ')[0]}, ${size}${advice}`)
  } catch (error) {
    return line(false, 'away', (error as Error).message)
  }
}

/** Returns no line if this machine is not a host. */
async function incus(home: BerthHome): Promise<ServiceStatusLine[]> {
  if (!configuredMachineRoles().includes('host')) return []
  const line = (ok: boolean, state: string, detail: string) => [
    { what: 'incus', ok, state, detail },
  ]
  const socket = usesSystemIncus(home)
    ? SYSTEM_INCUS_SOCKET_PATH
    : join(home.path, 'incus/unix.socket')
  if (!existsSync(socket)) return line(false, 'away', `no ${socket}`)
  const client = Incus.local(socket)
  try {
    const { environment } = await client.info()
    const instances = await client.instances.list()
    const running = instances.filter(({ status }) => status === 'Running').length
    const has = await client.storagePools.get(STORAGE_POOL_NAME).then(
      () => true,
      () => false
    )
    const summary = `${environment.server_version}, ${running} of ${instances.length} instances running`
    return line(has, 'answers', has ? summary : `${summary}, no storage pool yet`)
  } catch (error) {
    return line(false, 'away', (error as Error).message)
  } finally {
    await client.close()
  }
}

async function disk(home: BerthHome): Promise<ServiceStatusLine> {
  const { bavail, blocks, bsize } = await statfs(home.path)
  const free = bavail * bsize
  const gb = (bytes: number) => `${Math.floor(bytes / 1024 ** 3)} GB`
  return {
    what: 'disk',
    ok: free >= LOW_DISK_BYTES,
    state: free >= LOW_DISK_BYTES ? 'ok' : 'nearly full',
    detail: `${gb(free)} of ${gb(blocks * bsize)} free`,
  }
}

async function ownVersion(): Promise<string> {
  const { version: number } = JSON.parse(
    await readFile(join(installRoot, 'package.json'), 'utf8')
  ) as {
    version: string
  }
  return number
}
