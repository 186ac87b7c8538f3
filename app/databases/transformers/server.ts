import { engines } from '#databases/engines'
import { databaseServerSubject } from '#databases/servers/sync_server'
import { loadCapacityWarning } from '#databases/query/capacity_warning'
import { databaseDriver } from '#databases/servers/drivers'
import type { ServerState } from '#databases/servers/engine_driver'
import { managedServer, resolveDatabaseServer } from '#databases/servers/resolve_database_server'
import type { Server } from '#databases/servers/server'
import type { ServerSelection } from '#databases/queries/selected_server'
import type { ServerChoice, ServerView } from '#databases/transformers/page_props'
import type { Engine } from '#databases/engines'
import { UNFINISHED_STATUSES } from '#core/models/operation'
import { listOperationsOfSubject } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { toAppErrorIfMachineError } from '#core/machine_errors'
import {
  freeBytesWithinQuota,
  instanceCan,
  instancesVisibleTo,
  type ServerInstance,
} from '#instances/public'
import type { Actor } from '#core/contracts/actor'

export const MANAGED_SERVER_NAME = 'Managed server'
const MANAGED_SERVER_MESSAGE =
  'Your hosting provider operates the managed server, so you cannot start or stop it.'

export interface LoadedServerView {
  view: ServerView
  running: Server | null
}

type There = Exclude<ServerSelection, { problem: string }>

/**
 * Returns the data of a server for a page. If the server's state cannot be read, its status is `unknown`, with the
 * reason.
 */
export async function loadServerView(
  { instance, managed }: There,
  engine: Engine,
  sizeBytes: number | null
): Promise<LoadedServerView> {
  const server = managed ?? (await resolveServerOrProblem(instance!, engine))
  const isServer = 'machine' in server
  const key = managed ?? { instance, engine, accountId: instance!.accountId }
  const subject = databaseServerSubject(key)
  const [newest] = await listOperationsOfSubject(subject.type, subject.id)
  const state = isServer
    ? await stateOf(server)
    : { status: 'unknown' as const, problem: server.problem }
  const isBusy = newest && UNFINISHED_STATUSES.includes(newest.status)
  const installing = isBusy && newest.state.installing === true && state.status !== 'running'
  const status = installing ? 'installing' : state.status
  const version = 'version' in state ? state.version : null
  const measured = 'freeBytes' in state ? (state.freeBytes ?? null) : null
  const free = instance && isServer ? freeBytesWithinQuota(instance, measured) : null
  const busyWith = isBusy ? newest.title : null
  const actions = actionsOf(status, Boolean(managed), busyWith, state.problem)
  // An installed server may keep running on a plan that was reduced later, so its plan is not checked.
  const isThere = status !== 'absent' && status !== 'unknown'
  const tooSmall =
    instance && !isThere ? databaseDriver({ engine }).servers.unsupportedReason(instance) : null
  const view: ServerView = {
    server_instance_id: instance?.id ?? null,
    name: instance?.name ?? MANAGED_SERVER_NAME,
    status,
    problem: state.problem,
    version,
    size_bytes: sizeBytes,
    free_bytes: free,
    warning: instance ? (tooSmall ?? (await warningFor(instance, engine))) : null,
    actions: {
      ...actions,
      install: status === 'absent' ? (actions.install ?? tooSmall) : actions.install,
    },
    operation: newest && newest.status !== 'done' ? newest.describe() : null,
  }
  return { view, running: isServer && state.status === 'running' ? server : null }
}

/**
 * Returns a warning about the instance's plan. If there is none, returns a warning from the last measurements, or
 * null.
 */
async function warningFor(instance: ServerInstance, engine: Engine): Promise<string | null> {
  return (
    databaseDriver({ engine }).servers.warning(instance) ??
    (await loadCapacityWarning(instance, engine))
  )
}

async function resolveServerOrProblem(
  instance: ServerInstance,
  engine: Engine
): Promise<Server | { problem: string }> {
  const { allowed, reason } = instanceCan('manage', instance)
  if (!allowed) return { problem: reason! }
  return resolveDatabaseServer(instance, engine).catch(toProblem)
}

async function stateOf(
  server: Server
): Promise<ServerState | { status: 'unknown'; problem: string }> {
  try {
    return await databaseDriver(server).servers.state(server)
  } catch (error) {
    return { status: 'unknown', ...toProblem(error) }
  }
}

function toProblem(thrown: unknown): { problem: string } {
  const error = toAppErrorIfMachineError(thrown)
  if (error instanceof AppError) return { problem: error.message }
  throw error
}

function actionsOf(
  status: ServerView['status'],
  isManaged: boolean,
  busyWith: string | null,
  problem: string | null
): ServerView['actions'] {
  const every = (reason: string) => ({
    install: reason,
    start: reason,
    stop: reason,
    restart: reason,
  })
  if (isManaged) return { ...every(MANAGED_SERVER_MESSAGE), log: MANAGED_SERVER_MESSAGE }
  const unknown = problem ?? 'The server instance does not respond.'
  if (status === 'unknown') return { ...every(unknown), log: unknown }
  const absent = 'The database server is not installed yet.'
  const log = status === 'absent' || status === 'installing' ? absent : null
  if (busyWith) return { ...every(`Wait until this finishes: ${busyWith}.`), log }
  if (status === 'absent') return { ...every(absent), install: null, log }
  const runs = status === 'running'
  return {
    install: 'The database server is already installed.',
    start: runs ? 'The database server is already running.' : null,
    stop: status === 'stopped' ? 'The database server is already stopped.' : null,
    restart: runs || status === 'failed' ? null : 'The database server is stopped. Start it first.',
    log,
  }
}

export async function listServerChoices(
  actor: Actor,
  accountId: number,
  engine: Engine
): Promise<ServerChoice[]> {
  const instances = await instancesVisibleTo(actor).orderBy('name')
  const managed = managedServer(accountId, engine)
  return [
    ...instances.map((row) => ({
      id: row.id,
      name: row.name,
      reason:
        row.instanceType === 'shared'
          ? `A shared server instance cannot run its own ${engines[engine].label} server.`
          : instanceCan('manage', row).reason,
    })),
    ...(managed ? [{ id: null, name: MANAGED_SERVER_NAME, reason: null }] : []),
  ]
}
