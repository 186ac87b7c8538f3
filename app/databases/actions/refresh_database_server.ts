import { syncServer } from '#databases/servers/sync_server'
import type Database from '#databases/models/database'
import DatabaseServer from '#databases/models/database_server'
import { databaseDriver } from '#databases/servers/drivers'
import type { Server } from '#databases/servers/server'
import { runCommand } from '#guest/public_effects'
import { freeBytesWithinQuota } from '#instances/public'

/** Saves databases, free space and memory of the server. A stopped server stays stopped. */
export async function refreshDatabaseServer(server: Server): Promise<void> {
  const databases = await syncServer(server)
  if (server.instance) await saveRoomWarning(server, databases)
}

async function saveRoomWarning(server: Server, databases: Database[]): Promise<void> {
  const { engine, instance } = server
  const row = await DatabaseServer.findBy({ serverInstanceId: instance!.id, engine })
  if (row?.status !== 'running') return
  const sizes = databases.map(({ sizeBytes }) => sizeBytes ?? 0)
  const { pool = null } = (await databaseDriver(server).monitoring?.prepareAndMeasure(server)) ?? {}
  await row
    .merge({
      dataBytes: sizes.reduce((sum, size) => sum + size, 0),
      largestBytes: Math.max(0, ...sizes),
      poolBytes: pool,
      freeBytes: await freeBytesOn(server),
    })
    .save()
}

async function freeBytesOn({ machine, instance }: Server): Promise<number | null> {
  const argv = ['df', '--output=avail', '--block-size=1', '/var/lib']
  const output = await runCommand(machine, 'The free disk space could not be read', argv, {
    timeout: 15_000,
  })
  const bytes = Number(output.trim().split('\n').at(-1))
  return freeBytesWithinQuota(instance!, Number.isSafeInteger(bytes) ? bytes : null)
}
