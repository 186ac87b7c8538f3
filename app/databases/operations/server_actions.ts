import { unsupportedDatabaseServer } from '#databases/errors'
import { syncServer } from '#databases/servers/sync_server'
import DatabaseServer from '#databases/models/database_server'
import { loadServer, type ServerOperationInput } from '#databases/operations/load_server'
import { databaseDriver } from '#databases/servers/drivers'
import { defineOperation, type OperationKind, type StepContext } from '#core/operations/operations'

export const serverActions = ['start', 'stop', 'restart'] as const
export type ServerAction = (typeof serverActions)[number]

/**
 * Installs the database server, or starts it if it is installed. Safe to run again.
 * @throws if the instance cannot run the server, for example with too little memory
 */
export async function installOrStartServer(
  input: ServerOperationInput,
  context: StepContext
): Promise<void> {
  const server = await loadServer(input)
  const { servers } = databaseDriver(server)
  const { instance, machine, engine, accountId } = server
  const { status } = await servers.state(server)
  if (status === 'running' || !instance) return
  if (status === 'stopped' || status === 'failed') return servers.act(server, 'start')
  const { unsupportedReason, warning } = await servers.preflight(instance, machine)
  if (unsupportedReason) throw unsupportedDatabaseServer(unsupportedReason)
  await context.saveState('installing', true)
  if (warning) await context.reportProgress(warning)
  const key = { serverInstanceId: instance.id, engine }
  await DatabaseServer.updateOrCreate(key, { accountId, status: 'installing', error: null })
  const { signal, reportProgress } = context
  try {
    await servers.install(server, { signal, report: (line) => reportProgress(line.slice(0, 200)) })
  } catch (error) {
    if (!signal.aborted) await DatabaseServer.query().where(key).update({ status: 'failed' })
    throw error
  }
  await DatabaseServer.query().where(key).update({ status: 'running' })
}

const list = {
  key: 'list',
  label: 'Read the databases of the server',
  async run(input: ServerOperationInput) {
    await syncServer(await loadServer(input))
  },
}

export const installServerOperation = defineOperation<ServerOperationInput>({
  kind: 'database_server.install',
  queue: 'guest',
  steps: [{ key: 'server', label: 'Install the database server', run: installOrStartServer }, list],
})

export const serverActionOperations = Object.fromEntries(
  serverActions.map((action) => [
    action,
    defineOperation<ServerOperationInput>({
      kind: `database_server.${action}`,
      queue: 'guest',
      steps: [
        {
          key: action,
          label: `${action[0].toUpperCase()}${action.slice(1)} the database server`,
          async run(input) {
            const server = await loadServer(input)
            await databaseDriver(server).servers.act(server, action)
          },
        },
        list,
      ],
    }),
  ])
) as Record<ServerAction, OperationKind<ServerOperationInput>>
