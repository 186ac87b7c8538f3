import DatabaseServer from '#databases/models/database_server'
import { ADMIN_USER, withDatabase } from '#databases/mongodb/connect'
import type { Server } from '#databases/servers/server'
import { LocalMachine } from '#packages/machine/main'
import { type Ferretdb, startFerretdb } from '#tests/support/ferretdb'
import { makeInstance } from '#tests/support/instances'
import { makeCustomer } from '#tests/support/people'
import type { Db } from 'mongodb'

export interface TestMongodb {
  ferretdb: Ferretdb
  server: Server
  within<T>(database: string, work: (db: Db) => Promise<T>): Promise<T>
  stop(): Promise<void>
}

/**
 * Starts FerretDB and registers it as the MongoDB server of a new instance.
 * @throws an error with the reason if FerretDB is not available
 */
export async function startTestMongodb(): Promise<TestMongodb> {
  const ferretdb = await startFerretdb(ADMIN_USER)
  const customer = await makeCustomer()
  const instance = await makeInstance(customer)
  await DatabaseServer.create({
    accountId: customer.id,
    serverInstanceId: instance.id,
    engine: 'mongodb',
    status: 'running',
    secret: ferretdb.password,
  })
  const machine = new LocalMachine()
  const server: Server = {
    engine: 'mongodb',
    accountId: customer.id,
    instance,
    machine,
    prefix: '',
    clientArgs: ['--host=127.0.0.1', `--port=${ferretdb.port}`],
  }
  return {
    ferretdb,
    server,
    within: (database, work) => withDatabase(server, database, work),
    async stop() {
      await machine.close()
      await ferretdb.stop()
    },
  }
}
