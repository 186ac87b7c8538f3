import { dropDatabase } from '#databases/actions/drop_database'
import { startDatabaseCreation } from '#databases/actions/start_database_creation'
import { listBackupCopyDestinations } from '#databases/backup_copy_destinations'
import { MAX_UPLOAD_BYTES } from '#databases/limits'
import type Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import {
  resolveServerSelection,
  MANAGED_SERVER_ID,
  type ServerSelection,
} from '#databases/queries/selected_server'
import {
  databasesVisibleTo,
  getDatabase,
  getDatabaseEvenIfDropped,
} from '#databases/queries/databases'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import { managedServer } from '#databases/servers/resolve_database_server'
import { noDatabaseServer } from '#databases/errors'
import { listDroppedDatabaseBackups } from '#databases/queries/dropped_database_backups'
import { backupRow, droppedDatabaseBackupRow } from '#databases/transformers/backup'
import {
  loadDatabaseRows,
  databaseNamePrefix,
  usersWithoutPrefix,
  filterUsersOfDatabase,
} from '#databases/transformers/database'
import type { DatabasePage, TableSummary } from '#databases/transformers/page_props'
import { loadServerView, listServerChoices } from '#databases/transformers/server'
import { respond } from '#core/action_response'
import { isPageVisit } from '#core/request_kind'
import { accountIdOf } from '#core/contracts/actor'
import { queryListPage, parseListRequest, searchAnywhereIn } from '#core/list_page'
import { toAppErrorIfMachineError } from '#core/machine_errors'
import { renderPage } from '#core/render_page'
import { AppError } from '#core/app_error'
import { listEnvironmentReceivers } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'

const list = {
  statuses: {},
  sorts: { name: 'lower(name)', size: 'size_bytes' },
  order: 'name',
  search: searchAnywhereIn('name'),
}

export default class DatabasesController {
  async index(ctx: HttpContext) {
    const actor = ctx.actor
    const engine = engineOfRoute(ctx)
    const accountId = accountIdOf(actor)
    const location = await resolveServerSelection(ctx, engine)
    const query = at(databasesVisibleTo(actor, engine), location)
    const size = await sizeOf(query)
    const { rows, ...facts } = await queryListPage<Database>(
      query,
      parseListRequest(ctx, list),
      list
    )
    const seen = location.problem === null ? await loadServerView(location, engine, size) : null
    const { users, problem } = await usersAt(seen?.running ?? null)
    if (seen && problem) seen.view.problem ??= problem
    return renderPage(ctx, 'customer/database/list', {
      ...facts,
      engine,
      server: seen?.view ?? null,
      problem: location.problem,
      serverChoices: await listServerChoices(actor, accountId, engine),
      databases: await loadDatabaseRows(rows, users),
      users: seen?.running ? usersWithoutPrefix(seen.running, users) : [],
      droppedCopies: (await listDroppedDatabaseBackups(accountId, engine, location)).map(
        droppedDatabaseBackupRow
      ),
      uploadLimit: MAX_UPLOAD_BYTES,
    })
  }

  async show(ctx: HttpContext) {
    const actor = ctx.actor
    const engine = engineOfRoute(ctx)
    const database = await getDatabase(actor, engine, ctx.params.id)
    const location = locationOf(database)
    const size = await sizeOf(at(databasesVisibleTo(actor, engine), location))
    const { view, running } = await loadServerView(location, engine, size)
    const { users, problem } = await usersAt(running)
    const looked = running
      ? await tablesOf(database, running)
      : { tables: null, problem: view.problem }
    const mine = filterUsersOfDatabase(database, users)
    const [row] = await loadDatabaseRows([database], users)
    const backups = await DatabaseBackup.live()
      .where({ databaseId: database.id })
      .orderBy('id', 'desc')
    const shown = usersWithoutPrefix({ prefix: databaseNamePrefix(database) }, mine)
    const page: DatabasePage = {
      engine,
      server: view,
      database: { ...row, created_at: database.createdAt.toISO()! },
      ...looked,
      problem: looked.problem ?? problem,
      users: shown,
      backups: backups.map(backupRow),
      backupPlan: {
        nightly: database.backupNightly,
        keep: database.backupKeep,
        days: database.backupDays,
        vault_id: database.backupVaultId,
      },
      copyPlaces: await listBackupCopyDestinations(database.accountId),
      connections: running
        ? databaseDriver(running).accounts.connectionSnippets(running, {
            database: database.name,
            username: nameOf(mine[0]) ?? 'user',
          })
        : [],
      projects: await listEnvironmentReceivers('project', {
        accountId: database.accountId,
        instanceId: database.serverInstanceId,
      }),
      uploadLimit: MAX_UPLOAD_BYTES,
    }
    return renderPage(ctx, 'customer/database/details', page)
  }

  /** For a dropped database, redirects to the list of its server, which shows its backups. */
  async find(ctx: HttpContext) {
    const { id, engine, status, serverInstanceId } = await getDatabaseEvenIfDropped(
      ctx.actor,
      ctx.params.id
    )
    const list = `/database/${engine}`
    const queryString = `?server_instance_id=${serverInstanceId ?? MANAGED_SERVER_ID}`
    ctx.response.redirect().toPath(status === 'deleted' ? `${list}${queryString}` : `${list}/${id}`)
  }

  async store(ctx: HttpContext) {
    const engine = engineOfRoute(ctx)
    const location = await resolveServerSelection(ctx, engine)
    if (location.problem !== null) throw noDatabaseServer(location.problem)
    const operation = await startDatabaseCreation(
      ctx.actor,
      location,
      engine,
      ctx.request.body(),
      ctx.request.ip()
    )
    respond(ctx, {
      status: 202,
      message: 'Creating the database…',
      data: { operation_id: operation.id, operation: operation.describe() },
    })
  }

  /** `name` is the name that the person types to confirm. */
  async drop(ctx: HttpContext) {
    const { id, name } = ctx.request.body()
    const database = await getDatabase(ctx.actor, engineOfRoute(ctx), id)
    await dropDatabase(ctx.actor, database, name, ctx.request.ip())
    respond(ctx, {
      message: `Database ${shownNameOf(database)} dropped.`,
      to: isPageVisit(ctx) ? `/database/${database.engine}` : undefined,
    })
  }
}

function at(
  databases: ReturnType<typeof databasesVisibleTo>,
  { instance, managed }: ServerSelection
) {
  if (instance) return databases.where('serverInstanceId', instance.id)
  return managed ? databases.whereNull('serverInstanceId') : databases.whereRaw('false')
}

async function sizeOf(databases: ReturnType<typeof databasesVisibleTo>): Promise<number> {
  const [row] = await databases.clone().sum('size_bytes as total').pojo<{ total: string | null }>()
  return Number(row.total ?? 0)
}

const shownNameOf = (database: Database) => database.name.slice(databaseNamePrefix(database).length)

const nameOf = (row: DatabasePage['users'][number] | undefined) =>
  row && ('User' in row ? row.User : row.user)

/** @throws 409 if the managed server is no longer configured */
function locationOf(database: Database): Exclude<ServerSelection, { problem: string }> {
  if (database.serverInstanceId !== null) {
    return { instance: database.instance, managed: null, problem: null }
  }
  const managed = managedServer(database.accountId, database.engine)
  if (!managed)
    throw noDatabaseServer('The managed database server is no longer set up. Ask support.')
  return { instance: null, managed, problem: null }
}

type Running = Awaited<ReturnType<typeof loadServerView>>['running']

/** Returns the message of an AppError as `problem`, so that the page still renders. Throws all other errors. */
async function usersAt(server: Running) {
  if (!server) return { users: [], problem: null }
  try {
    return { users: await databaseDriver(server).accounts.users(server), problem: null }
  } catch (error) {
    return { users: [], problem: problemMessage(error) }
  }
}

async function tablesOf(
  { name }: Database,
  server: NonNullable<Running>
): Promise<{ tables: TableSummary[] | null; problem: string | null }> {
  try {
    return { tables: await databaseDriver(server).browse.tables(server, name), problem: null }
  } catch (error) {
    return { tables: null, problem: problemMessage(error) }
  }
}

function problemMessage(thrown: unknown): string {
  const error = toAppErrorIfMachineError(thrown)
  if (error instanceof AppError) return error.message
  throw error
}
