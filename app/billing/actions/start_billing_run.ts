import type { Requester } from '#billing/actions/with_locked_bill'
import { runInProgress } from '#billing/errors'
import BillingRun from '#billing/models/billing_run'
import { billingRunOperation } from '#billing/operations/billing_run'
import { audit } from '#core/audit/audit'
import type Operation from '#core/models/operation'
import { startOperation } from '#core/operations/operations'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import { randomUUID } from 'node:crypto'

/** @throws 409 if a run that staff started is unfinished */
export async function startBillingRun({ actor, ip }: Requester): Promise<Operation> {
  return db.transaction(async (trx) => {
    // A unique index allows only one unfinished run. A concurrent start waits here and then inserts no row.
    const { rows } = await trx.rawQuery(
      `insert into billing_runs (operation_id, started_by) values (?, nullif(?, 0))
       on conflict do nothing returning id`,
      [randomUUID(), actor?.id ?? 0]
    )
    if (!rows[0]) throw runInProgress()
    const id: number = rows[0].id
    const operation = await startOperation(
      billingRunOperation,
      { runId: id, at: DateTime.utc().toISO() },
      { title: 'Billing run', accountId: null, subject: { type: 'billing_run', id }, trx }
    )
    await BillingRun.query({ client: trx }).where({ id }).update({ operationId: operation.id })
    const subject = { type: 'billing_run' as const, id, label: `run ${id}` }
    await audit({ actor, accountId: null, action: 'billing_run.start', subject, ip }, trx)
    return operation
  })
}
