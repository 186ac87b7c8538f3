import { tooSmall } from '#databases/errors'
import { syncServer } from '#databases/servers/sync'
import DatabaseServer from '#databases/models/database_server'
import { reachServer, type ServerWork } from '#databases/operations/reach'
import { driverOf } from '#databases/servers/drivers'
import { defineOperation, type OperationKind, type StepContext } from '#core/operations/operations'

export const serverActions = ['start', 'stop', 'restart'] as const
export type ServerAction = (typeof serverActions)[number]

/** Installs the server where there is none and starts one that is stopped; can run again. */
export async function ensureRunning(input: ServerWork, context: StepContext): Promise<void> {
  const server = await reachServer(input)
  const { servers } = driverOf(server)
  const { instance, machine, engine, accountId } = server
  const { status } = await servers.state(server)
  if (status === 'running' || !instance) return
  if (status === 'stopped' || status === 'failed') return servers.act(server, 'start')
  const { refusal, warning } = await servers.preflight(instance, machine)
  if (refusal) throw tooSmall(refusal)
  await context.remember('installing', true)
  if (warning) await context.tell(warning)
  const key = { serverInstanceId: instance.id, engine }
  await DatabaseServer.updateOrCreate(key, { accountId, status: 'installing', error: null })
  const { signal, tell } = context
  try {
    await servers.install(server, { signal, tell: (line) => tell(line.slice(0, 200)) })
  } catch (error) {
    if (!signal.aborted) await DatabaseServer.query().where(key).update({ status: 'failed' })
    throw error
  }
  await DatabaseServer.query().where(key).update({ status: 'running' })
}

const list = {
  key: 'list',
  label: 'Read its databases',
  async run(input: ServerWork) {
    await syncServer(await reachServer(input))
  },
}

/** Installs a server, or takes on one that is there. */
export const installServer = defineOperation<ServerWork>({
  kind: 'database_server.install',
  lane: 'guest',
  steps: [{ key: 'server', label: 'Install the database server', run: ensureRunning }, list],
})

/** Starts, stops or restarts it. One kind for each. */
export const actOnServer = Object.fromEntries(
  serverActions.map((action) => [
    action,
    defineOperation<ServerWork>({
      kind: `database_server.${action}`,
      lane: 'guest',
      steps: [
        {
          key: action,
          label: `${action[0].toUpperCase()}${action.slice(1)} the database server`,
          async run(input) {
            const server = await reachServer(input)
            await driverOf(server).servers.act(server, action)
          },
        },
        list,
      ],
    }),
  ])
) as Record<ServerAction, OperationKind<ServerWork>>
