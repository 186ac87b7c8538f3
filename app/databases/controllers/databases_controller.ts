import { dropDatabase } from '#databases/actions/drop_database'
import { storeDatabase } from '#databases/actions/store_database'
import { copyPlaces } from '#databases/copy_places'
import { MAX_UPLOAD_BYTES } from '#databases/limits'
import type Database from '#databases/models/database'
import DatabaseBackup from '#databases/models/database_backup'
import { chosenPlace, MANAGED_SERVER_ID, type Place } from '#databases/queries/chosen_server'
import { databasesOf, findDatabase, findEverDatabase } from '#databases/queries/databases'
import { engineOf } from '#databases/queries/engine_of'
import { driverOf } from '#databases/servers/drivers'
import { managedServer } from '#databases/servers/reach'
import { noServer } from '#databases/errors'
import { droppedCopies } from '#databases/queries/dropped_copies'
import { backupRow, droppedCopyRow } from '#databases/transformers/backup'
import { databaseRows, prefixFor, shownUsers, usersOf } from '#databases/transformers/database'
import type { DatabasePage, TableRow } from '#databases/transformers/pages'
import { seeServer, serverChoices } from '#databases/transformers/server'
import { answer } from '#core/answers'
import { isPageVisit } from '#core/area'
import { accountIdOf } from '#core/contracts/actor'
import { listPage, listRequest, holds } from '#core/list_page'
import { asRefusal } from '#core/machine_refusal'
import { renderPage } from '#core/page'
import { Refusal } from '#core/refusal'
import { thingsTakingVariables } from '#guest/public'
import type { HttpContext } from '@adonisjs/core/http'

const list = {
  statuses: {},
  sorts: { name: 'lower(name)', size: 'size_bytes' },
  order: 'name',
  search: holds('name'),
}

/** Databases of an account (product, "Databases"). */
export default class DatabasesController {
  async index(ctx: HttpContext) {
    const actor = ctx.actor!
    const engine = engineOf(ctx)
    const accountId = accountIdOf(actor)
    const place = await chosenPlace(ctx, engine)
    const here = at(databasesOf(actor, engine), place)
    const size = await sizeOf(here)
    const { rows, ...facts } = await listPage<Database>(here, listRequest(ctx, list), list)
    const seen = place.problem === null ? await seeServer(place, engine, size) : null
    const { users, problem } = await usersAt(seen?.running ?? null)
    if (seen && problem) seen.view.problem ??= problem
    return renderPage(ctx, 'customer/database/list', {
      ...facts,
      engine,
      server: seen?.view ?? null,
      problem: place.problem,
      serverChoices: await serverChoices(actor, accountId, engine),
      databases: await databaseRows(rows, users),
      users: seen?.running ? shownUsers(seen.running, users) : [],
      droppedCopies: (await droppedCopies(accountId, engine, place)).map(droppedCopyRow),
      uploadLimit: MAX_UPLOAD_BYTES,
    })
  }

  async show(ctx: HttpContext) {
    const actor = ctx.actor!
    const engine = engineOf(ctx)
    const database = await findDatabase(actor, engine, ctx.params.id)
    const place = placeOf(database)
    const size = await sizeOf(at(databasesOf(actor, engine), place))
    const { view, running } = await seeServer(place, engine, size)
    const { users, problem } = await usersAt(running)
    const looked = running
      ? await tablesOf(database, running)
      : { tables: null, problem: view.problem }
    const mine = usersOf(database, users)
    const [row] = await databaseRows([database], users)
    const backups = await DatabaseBackup.live()
      .where({ databaseId: database.id })
      .orderBy('id', 'desc')
    const shown = shownUsers({ prefix: prefixFor(database) }, mine)
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
      copyPlaces: await copyPlaces(database.accountId),
      connections: running
        ? driverOf(running).accounts.connections(running, {
            database: database.name,
            username: nameOf(mine[0]) ?? 'user',
          })
        : [],
      projects: await thingsTakingVariables('project', {
        accountId: database.accountId,
        instanceId: database.serverInstanceId,
      }),
      uploadLimit: MAX_UPLOAD_BYTES,
    }
    return renderPage(ctx, 'customer/database/details', page)
  }

  /** To the page of its engine; of one that was dropped, to the list that shows its copies. */
  async find(ctx: HttpContext) {
    const { id, engine, status, serverInstanceId } = await findEverDatabase(
      ctx.actor!,
      ctx.params.id
    )
    const list = `/database/${engine}`
    const place = `?server_instance_id=${serverInstanceId ?? MANAGED_SERVER_ID}`
    ctx.response.redirect().toPath(status === 'deleted' ? `${list}${place}` : `${list}/${id}`)
  }

  async store(ctx: HttpContext) {
    const engine = engineOf(ctx)
    const place = await chosenPlace(ctx, engine)
    if (place.problem !== null) throw noServer(place.problem)
    const sent = ctx.request.only(['database_name', 'username', 'user_password'])
    const operation = await storeDatabase(ctx.actor!, place, engine, sent, ctx.request.ip())
    answer(ctx, {
      status: 202,
      message: 'Creating the database…',
      data: { operation_id: operation.id, operation: operation.describe() },
    })
  }

  /** `{ id, name }`, the name typed. */
  async drop(ctx: HttpContext) {
    const { id, name } = ctx.request.body()
    const database = await findDatabase(ctx.actor!, engineOf(ctx), id)
    await dropDatabase(ctx.actor!, database, name, ctx.request.ip())
    answer(ctx, {
      message: `Database ${shownNameOf(database)} dropped.`,
      to: isPageVisit(ctx) ? `/database/${database.engine}` : undefined,
    })
  }
}

/** Those that are kept there. */
function at(databases: ReturnType<typeof databasesOf>, { instance, managed }: Place) {
  if (instance) return databases.where('serverInstanceId', instance.id)
  return managed ? databases.whereNull('serverInstanceId') : databases.whereRaw('false')
}

/** Bytes of all of these as they were measured last. */
async function sizeOf(databases: ReturnType<typeof databasesOf>): Promise<number> {
  const [row] = await databases.clone().sum('size_bytes as total').pojo<{ total: string | null }>()
  return Number(row.total ?? 0)
}

const shownNameOf = (database: Database) => database.name.slice(prefixFor(database).length)

const nameOf = (row: DatabasePage['users'][number] | undefined) =>
  row && ('User' in row ? row.User : row.user)

/** Where a database is. Throws 409 where the managed server is there no more. */
function placeOf(database: Database): Exclude<Place, { problem: string }> {
  if (database.serverInstanceId !== null) {
    return { instance: database.instance, managed: null, problem: null }
  }
  const managed = managedServer(database.accountId, database.engine)
  if (!managed) throw noServer('The managed database server is no longer set up. Ask support.')
  return { instance: null, managed, problem: null }
}

type Running = Awaited<ReturnType<typeof seeServer>>['running']

/** What a page cannot be told is a problem on it, not its end. */
async function usersAt(server: Running) {
  if (!server) return { users: [], problem: null }
  try {
    return { users: await driverOf(server).accounts.users(server), problem: null }
  } catch (error) {
    return { users: [], problem: wordsOf(error) }
  }
}

async function tablesOf(
  { name }: Database,
  server: NonNullable<Running>
): Promise<{ tables: TableRow[] | null; problem: string | null }> {
  try {
    return { tables: await driverOf(server).browse.tables(server, name), problem: null }
  } catch (error) {
    return { tables: null, problem: wordsOf(error) }
  }
}

function wordsOf(thrown: unknown): string {
  const error = asRefusal(thrown)
  if (error instanceof Refusal) return error.message
  throw error
}
