import db from '@adonisjs/lucid/services/db'
import type { Group } from '@japa/runner/core'
import { AsyncLocalStorage } from 'node:async_hooks'

type Run = (trx: unknown) => unknown

interface Client {
  transaction(run?: Run, options?: unknown): unknown
  getWriteClient(): { client: { acquireConnection(): Promise<unknown> } }
}

/**
 * Fails each test of a group in which the console takes a connection from the pool while its own transaction holds one. As
 * many of such calls at once as the pool has connections wait for each other.
 */
export function failOnSecondConnections(group: Group): void {
  group.each.setup(() => {
    const found: string[] = []
    const inTransaction = new AsyncLocalStorage<string>()
    const client = db.connection() as unknown as Client
    const { client: knex } = client.getWriteClient()
    const prototype = Object.getPrototypeOf(client) as Client
    const { transaction } = prototype
    const { acquireConnection } = knex
    prototype.transaction = function (run, options) {
      // The query that follows may have no stack: awaiting a query builder runs it later.
      const { stack } = new Error('A second connection is taken in the transaction that began')
      const begin = run && ((trx: unknown) => inTransaction.run(stack!, run, trx))
      return Reflect.apply(transaction, this, [begin, options])
    }
    knex.acquireConnection = function () {
      const begun = inTransaction.getStore()
      if (begun) found.push(begun)
      return Reflect.apply(acquireConnection, this, [])
    }
    return () => {
      prototype.transaction = transaction
      knex.acquireConnection = acquireConnection
      if (found.length) throw new Error(found.join('\n'))
    }
  })
}
