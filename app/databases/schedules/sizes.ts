import { publishAll } from '#core/live/live'
import { defineSchedule } from '#core/schedules/schedules'
import type { Engine } from '#databases/engines'
import Database from '#databases/models/database'
import DatabaseServer from '#databases/models/database_server'
import { databasesOn, subjectOf } from '#databases/queries/databases'
import { driverOf } from '#databases/servers/drivers'
import { serverFor } from '#databases/servers/reach'
import type { Server } from '#databases/servers/server'
import { run } from '#guest/public'
import { instanceCan } from '#instances/public'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Minutes after which databases are measured again. */
const AGAIN = 30
/** Servers that are measured in one run; the next run goes on. */
const AT_ONCE = 20
/** Minutes that a server which did not answer is left alone. */
const REST = 10

/** When those that did not answer are asked again, in milliseconds; by engine, place and account. */
const resting = new Map<string, number>()

/** An account's databases on one server. */
interface Due {
  account_id: number
  engine: Engine
  server_instance_id: number | null
  any: number
}

/**
 * Measures the databases whose figures are oldest, by one connection for each server. Nothing is started
 * for it: what does not run or does not answer keeps its figures.
 */
export async function measureSizes(signal: AbortSignal, now = DateTime.utc()): Promise<void> {
  for (const [key, until] of resting) if (until < now.toMillis()) resting.delete(key)
  const due = await dueNow(now)
  for (const each of due.filter((one) => !resting.has(keyOf(one))).slice(0, AT_ONCE)) {
    if (signal.aborted) return
    try {
      await measure(each, now)
    } catch (error) {
      resting.set(keyOf(each), now.plus({ minutes: REST }).toMillis())
      const { message } = error as Error
      logger.debug({ ...each, reason: message }, 'databases could not be measured')
    }
  }
}

function keyOf({ engine, server_instance_id: instance, account_id: account }: Due): string {
  return `${engine}:${instance ?? 'managed'}:${account}`
}

async function dueNow(now: DateTime): Promise<Due[]> {
  const { rows } = await db.rawQuery<{ rows: Due[] }>(
    `select account_id, engine, server_instance_id, min(id) as any from databases
     where status <> 'deleted'
     group by account_id, engine, server_instance_id
     having min(coalesce(measured_at, 'epoch')) < :before
     order by min(coalesce(measured_at, 'epoch'))`,
    { before: now.minus({ minutes: AGAIN }).toSQL() }
  )
  return rows
}

async function measure({ any, engine }: Due, now: DateTime): Promise<void> {
  const one = await Database.query().where('id', any).preload('instance').firstOrFail()
  if (one.instance && !instanceCan('manage', one.instance).allowed) {
    throw new Error('The server instance does not run')
  }
  const server = await serverFor(one, engine)
  const { accounts, watch } = driverOf({ engine })
  const found = new Map((await accounts.databases(server)).map((each) => [each.name, each]))
  const changed: Database[] = []
  for (const database of await databasesOn(server)) {
    const { sizeBytes = null, tables = null } = found.get(database.name) ?? {}
    const isSame = database.sizeBytes === sizeBytes && database.tables === tables
    await database.merge({ sizeBytes, tables, measuredAt: now }).save()
    if (!isSame) changed.push(database)
  }
  const sizes = [...found.values()].map(({ sizeBytes }) => sizeBytes ?? 0)
  if (server.instance) {
    await DatabaseServer.query()
      .where({ serverInstanceId: server.instance.id, engine })
      .update({
        data_bytes: sizes.reduce((sum, size) => sum + size, 0),
        largest_bytes: Math.max(0, ...sizes),
        pool_bytes: (await watch?.look(server))?.pool ?? null,
        free_bytes: await freeOn(server),
      })
  }
  const topics = changed.map((database) => `${subjectOf(database).type}:${database.id}`)
  if (topics.length) await publishAll(topics, { owner: server.accountId })
}

/** Bytes free where Debian's servers keep their data; null where the machine does not say. */
async function freeOn({ machine }: Server): Promise<number | null> {
  const argv = ['df', '--output=avail', '--block-size=1', '/var/lib']
  const said = await run(machine, 'The disk could not be asked', argv, { timeout: 15_000 })
  const bytes = Number(said.trim().split('\n').at(-1))
  return Number.isSafeInteger(bytes) ? bytes : null
}

export default defineSchedule({
  name: 'databases.sizes',
  label: 'Measures databases',
  every: 60,
  run: measureSizes,
})
