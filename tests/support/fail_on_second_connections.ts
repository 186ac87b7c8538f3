import db from '@adonisjs/lucid/services/db'
import type { Group } from '@japa/runner/core'
import { AsyncLocalStorage } from 'node:async_hooks'
import { ChildProcess } from 'node:child_process'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Resolver } from 'node:dns/promises'

type Run = (trx: unknown) => unknown
type Method = (...args: unknown[]) => unknown

interface Client {
  transaction(run?: Run, options?: unknown): unknown
  getWriteClient(): { client: { acquireConnection(): Promise<unknown> } }
}

/** Diagnostics channels of `fetch` and the Incus client, and of plain sockets, which SSH, MySQL and SMTP use. */
const REMOTE_CALL_CHANNELS = [
  'undici:request:create',
  'http.client.request.start',
  'net.client.socket',
]

/** Calls `before` before each call of a method. Returns a function that restores the method. */
function interceptMethod<Name extends string>(
  target: Record<Name, Method>,
  name: Name,
  before: () => void
): () => void {
  const original = target[name]
  target[name] = function (...args) {
    before()
    return Reflect.apply(original, this, args)
  }
  return () => (target[name] = original)
}

/**
 * Fails a test if the console, inside a transaction, takes a second database connection, or calls a service, a host,
 * DNS or a program. If as many such transactions ran at once as the pool has connections, they would block all pages.
 */
export function failOnSecondConnections(group: Group): void {
  group.each.setup(() => {
    const found = new Set<string>()
    const inTransaction = new AsyncLocalStorage<string>()
    const client = db.connection() as unknown as Client
    const { client: knex } = client.getWriteClient()
    const prototype = Object.getPrototypeOf(client) as Client
    const { transaction } = prototype
    const report = (problem: string) => {
      const begun = inTransaction.getStore()
      if (begun) found.add(`${problem} in the transaction that began${begun}`)
    }
    prototype.transaction = function (run, options) {
      // The stack of the caller must be recorded here: awaiting a query builder runs the query later, without this
      // stack.
      const stack = new Error().stack!.slice('Error'.length)
      const begin = run && ((trx: unknown) => inTransaction.run(stack, run, trx))
      return Reflect.apply(transaction, this, [begin, options])
    }
    const onRemoteCall = () => {
      // Ignores sockets of the PostgreSQL driver. Connections of the pool are reported below, and the connection for
      // locks does not belong to the pool.
      if (!new Error().stack!.includes('/node_modules/pg/')) report('A remote call is made')
    }
    const restorers = [
      interceptMethod(knex as never, 'acquireConnection', () =>
        report('A second connection is taken')
      ),
      interceptMethod(Resolver.prototype as never, 'resolveTxt', () => report('DNS is asked')),
      interceptMethod(ChildProcess.prototype as never, 'spawn', () =>
        report('A program is started')
      ),
    ]
    for (const channel of REMOTE_CALL_CHANNELS) subscribe(channel, onRemoteCall)
    return () => {
      prototype.transaction = transaction
      for (const restore of restorers) restore()
      for (const channel of REMOTE_CALL_CHANNELS) unsubscribe(channel, onRemoteCall)
      if (found.size) throw new Error([...found].join('\n'))
    }
  })
}
