import db from '@adonisjs/lucid/services/db'
import type { Group } from '@japa/runner/core'
import { AsyncLocalStorage } from 'node:async_hooks'

type Run = (trx: unknown) => unknown

interface Client {
  transaction(run?: Run, options?: unknown): unknown
  getWriteClient(): { client: { acquireConnection(): Promise<unknown> } }
}

/** Frames of a stack that reach from the pool to the module that asked. */
const STACK_FRAMES = 60

/**
 * Fails each test of a group in which the console takes a connection from the pool while its own transaction holds one. As
 * many of such calls at once as the pool has connections wait for each other.
 */
export function failOnSecondConnections(group: Group): void {
  group.each.setup(() => {
    const found: string[] = []
    const inTransaction = new AsyncLocalStorage<true>()
    const client = db.connection() as unknown as Client
    const { client: knex } = client.getWriteClient()
    const prototype = Object.getPrototypeOf(client) as Client
    const { transaction } = prototype
    const { acquireConnection } = knex
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = STACK_FRAMES
    prototype.transaction = function (run, options) {
      const begin = run && ((trx: unknown) => inTransaction.run(true, run, trx))
      return Reflect.apply(transaction, this, [begin, options])
    }
    knex.acquireConnection = function () {
      const stack = inTransaction.getStore() && new Error('A second connection').stack
      // Timers of libraries keep the context in which they began.
      if (stack?.includes('/app/')) found.push(stack)
      return Reflect.apply(acquireConnection, this, [])
    }
    return () => {
      prototype.transaction = transaction
      knex.acquireConnection = acquireConnection
      Error.stackTraceLimit = stackTraceLimit
      if (found.length) throw new Error(found.join('\n'))
    }
  })
}
