import { databaseBusy, notSupported } from '#databases/errors'
import { databaseServerSubject } from '#databases/servers/sync_server'
import { engines } from '#databases/engines'
import {
  serverActionOperations,
  installServerOperation,
  type ServerAction,
} from '#databases/operations/server_actions'
import type { Server } from '#databases/servers/server'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import db from '@adonisjs/lucid/services/db'

/** @throws AppError 409 for the managed server or while another operation is unfinished */
export async function startServerAction(
  actor: Actor,
  server: Server,
  action: ServerAction | 'install',
  ip?: string
): Promise<Operation> {
  const { instance, engine, accountId } = server
  if (!instance)
    throw notSupported(
      'Your hosting provider operates the managed server, so you cannot start or stop it.'
    )
  const { type, id } = databaseServerSubject(server)
  const open = await Operation.query()
    .where({ subjectType: type, subjectId: id })
    .whereIn('status', UNFINISHED_STATUSES)
    .first()
  if (open) throw databaseBusy(open.title)
  const kind = action === 'install' ? installServerOperation : serverActionOperations[action]
  const labels = {
    install: 'Installing',
    start: 'Starting',
    stop: 'Stopping',
    restart: 'Restarting',
  }
  return db.transaction(async (trx) => {
    const operation = await startOperation(
      kind,
      { engine, accountId, instanceId: instance.id },
      {
        title: `${labels[action]} ${engines[engine].label} on ${instance.name}`,
        accountId,
        subject: { type, id },
        trx,
      }
    )
    await audit(
      {
        actor,
        accountId,
        action: `database_server.${action}`,
        subject: { type: 'server_instance', id: instance.id, label: instance.name },
        after: { engine },
        ip,
      },
      trx
    )
    return operation
  })
}
