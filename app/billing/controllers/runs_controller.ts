import { recordCreditRefund } from '#billing/actions/record_credit_refund'
import { startBillingRun } from '#billing/actions/start_billing_run'
import BillingRun from '#billing/models/billing_run'
import {
  monthChangeFilters,
  monthComparisonListDefinition,
  listLastRuns,
  changeThresholdPercents,
  previewBillingRun,
} from '#billing/queries/runs'
import { creditRefundValidator } from '#billing/validators/bills'
import { loadCustomersById } from '#accounts/public'
import { requesterOf } from '#core/contracts/actor'
import { respond } from '#core/action_response'
import { parseListRequest } from '#core/list_page'
import Operation from '#core/models/operation'
import { renderPage } from '#core/render_page'
import { parseRecordId } from '#core/record_id'
import { notFound } from '#core/app_error'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

export default class RunsController {
  async index(ctx: HttpContext) {
    const request = parseListRequest(ctx, monthComparisonListDefinition)
    const percent = Number(request.filters.percent ?? 20)
    const running = await BillingRun.query()
      .where({ status: 'running' })
      .whereNotNull('operationId')
      .first()
    const { preview, facts, accounts } = await previewBillingRun(DateTime.utc(), request, percent)
    const operation = running && (await Operation.find(running.operationId))
    return renderPage(ctx, 'admin/billing/run', {
      ...facts,
      preview,
      accounts,
      changes: monthChangeFilters,
      percents: changeThresholdPercents,
      runs: await listLastRuns(),
      operation: operation?.describe() ?? null,
    })
  }

  /** `amount` is in dollars; `trx_id` is the transaction ID of the transfer to the customer. */
  async refund(ctx: HttpContext) {
    const accountId = parseRecordId(ctx.request.input('account_id'))
    const { amount, trx_id: trxId } = await creditRefundValidator.validate(ctx.request.body())
    if (!accountId || !(await loadCustomersById([accountId])).size) throw notFound('account')
    await recordCreditRefund(accountId, { amount, trxId }, requesterOf(ctx))
    respond(ctx, { message: `$${amount} of credit paid out.`, status: 201 })
  }

  async start(ctx: HttpContext) {
    const operation = await startBillingRun(requesterOf(ctx))
    respond(ctx, {
      message: 'Billing run started.',
      data: { operation: operation.describe() },
      status: 202,
    })
  }
}
