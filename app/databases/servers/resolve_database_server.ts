import type { Engine } from '#databases/engines'
import { noDatabaseServer, SHARED_INSTANCE_MESSAGE } from '#databases/errors'
import Database from '#databases/models/database'
import type { Server } from '#databases/servers/server'
import { notFound } from '#core/app_error'
import { connectToActiveInstance } from '#instances/public_effects'
import { ServerInstance } from '#instances/public'
import { LocalMachine, SandboxMachine, SERVICE_SOCKET_PLACEHOLDER } from '#packages/machine/main'
import env from '#start/env'
import { createConnection } from 'node:net'
import { dirname, join } from 'node:path'

export const accountPrefix = (accountId: number) => `a${accountId}_`

const localMachine = new LocalMachine()
/** Sandbox for programs that parse dumps. From it, only the managed server can be reached. */
let sandbox: SandboxMachine | undefined

/** Returns the managed server's URL with Berth's credentials. Null: none is configured. */
export function managedServerUrl(engine: Engine): URL | null {
  const url = env.get(engine === 'mysql' ? 'MYSQL_URL' : 'MONGODB_URL')?.release()
  return url ? new URL(url) : null
}

/** Returns the managed server of this engine, as the account sees it. Null: none is configured. */
export function managedServer(accountId: number, engine: Engine): Server | null {
  const url = managedServerUrl(engine)
  if (!url) return null
  const prefix = accountPrefix(accountId)
  const server = { engine, accountId, instance: null, machine: localMachine, prefix }
  const sandboxSocket = engine === 'mysql' && env.get('SANDBOX_SOCKET')
  if (!sandboxSocket) return { ...server, clientArgs: argsOf(url) }
  sandbox ??= new SandboxMachine({
    launchSocket: sandboxSocket,
    sockets: join(dirname(dirname(sandboxSocket)), 'sockets'),
    connect: connectToMysql,
  })
  return { ...server, sandbox, clientArgs: [`--socket=${SERVICE_SOCKET_PLACEHOLDER}`] }
}

/**
 * Returns the server of an instance or of a database. On an instance, it may not be installed yet.
 * @throws AppError if the instance is deleted, not active, shared, or does not respond, or if the managed server is no
 * longer configured
 */
export async function resolveDatabaseServer(
  what: Database | ServerInstance,
  engine: Engine
): Promise<Server> {
  if (what instanceof ServerInstance) return onInstance(what, engine)
  if (what.serverInstanceId === null) {
    const server = managedServer(what.accountId, engine)
    if (!server)
      throw noDatabaseServer('The managed database server is no longer set up. Ask support.')
    return server
  }
  const instance = await ServerInstance.live().where('id', what.serverInstanceId).first()
  if (!instance) throw notFound('server instance')
  return onInstance(instance, engine)
}

async function onInstance(instance: ServerInstance, engine: Engine): Promise<Server> {
  if (instance.instanceType === 'shared') throw noDatabaseServer(SHARED_INSTANCE_MESSAGE)
  const { accountId } = instance
  const machine = await connectToActiveInstance(instance)
  const clientArgs =
    engine === 'mysql' ? [`--socket=${MYSQL_SOCKET}`] : ['--host=127.0.0.1', '--port=27017']
  return { engine, accountId, instance, machine, prefix: '', clientArgs }
}

export const MYSQL_SOCKET = '/run/mysqld/mysqld.sock'

function argsOf({ hostname, port, protocol, searchParams }: URL): string[] {
  const socket = searchParams.get('socket')
  if (socket) return [`--socket=${socket}`]
  const usual = protocol === 'mysql:' ? '3306' : '27017'
  const host = hostname.replace(/^\[|\]$/g, '')
  return [`--host=${decodeURIComponent(host)}`, `--port=${port || usual}`]
}

function connectToMysql() {
  const { hostname, port, searchParams } = managedServerUrl('mysql')!
  const socket = searchParams.get('socket')
  if (socket) return createConnection(socket)
  const host = decodeURIComponent(hostname.replace(/^\[|\]$/g, ''))
  return createConnection({ host, port: Number(port) || 3306 })
}

/** Ends the processes that this machine runs for managed servers. Called when Berth stops. */
export async function closeManagedServers(): Promise<void> {
  await Promise.all([localMachine.close(), sandbox?.close()])
}
