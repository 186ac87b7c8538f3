import Operation from '#core/models/operation'
import { audit } from '#core/audit/audit'
import type { Actor } from '#core/contracts/actor'
import {
  publishOperation,
  getOperationKind,
  OPERATIONS_DUE_TOPIC,
} from '#core/operations/operations'
import { createStepContext } from '#core/operations/runner'
import { failuresOnDashboard } from '#core/queries/system_page'
import { conflict } from '#core/app_error'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/**
 * Resumes a stuck operation at the failed step, and resets the counts of errors and runs.
 * @throws 409 if the operation is not stuck (any more)
 */
export async function retryOperation(operation: Operation, actor: Actor): Promise<void> {
  const now = DateTime.utc().toSQL()
  await endStuckState(operation, actor, 'retried', {
    status: 'running',
    attempts: 0,
    step_runs: 0,
    due_at: now,
  })
  await publishOperation(operation, undefined, [OPERATIONS_DUE_TOPIC])
}

/**
 * Ends a stuck operation as failed, so that its resource can be used or deleted again.
 * @throws 409 if the operation is not stuck (any more)
 */
export async function giveUpOperation(operation: Operation, actor: Actor): Promise<void> {
  const reason = 'This operation could not finish. Our staff ended it. Try again or ask support.'
  const ended = DateTime.utc().toSQL()
  await endStuckState(operation, actor, 'given_up', {
    status: 'failed',
    error: reason,
    ended_at: ended,
  })
  try {
    const context = createStepContext(operation, AbortSignal.timeout(60_000))
    await getOperationKind(operation.kind).failed?.(operation.input, reason, context)
  } catch (error) {
    logger.warn(
      { err: error, operation: operation.id },
      'an operation that staff ended could not clean up'
    )
  }
  await publishOperation(operation)
}

/** Hides the failures up to `until` from the dashboard. Returns the number of hidden operations. */
export async function dismissFailures(until: Date, actor: Actor): Promise<number> {
  const rows = await failuresOnDashboard().where('endedAt', '<=', until).select('id')
  if (rows.length === 0) return 0
  const ids = rows.map(({ id }) => id)
  await Operation.query().whereIn('id', ids).update({ dismissed_at: new Date() })
  const subject = { type: 'operation' as const, id: ids[0], label: String(ids.length) }
  await audit({ actor, accountId: null, action: 'operation.dismissed', subject })
  return ids.length
}

async function endStuckState(operation: Operation, actor: Actor, how: string, change: object) {
  const left = await Operation.query().where({ id: operation.id, status: 'stuck' }).update(change)
  if (Number(left[0]) === 0) throw conflict('This operation is no longer stuck.')
  await audit({
    actor,
    accountId: operation.accountId,
    action: `operation.${how}`,
    subject: { type: 'operation', id: operation.id, label: operation.title },
  })
}
