import { startRun } from '#billing/actions/start_run'
import BillingRun from '#billing/models/billing_run'
import { changes, comparedList, lastRuns, previewRun } from '#billing/queries/runs'
import { answer } from '#core/answers'
import { listRequest } from '#core/list_page'
import Operation from '#core/models/operation'
import { renderPage } from '#core/page'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

/** The billing run: what it would make, what it made, and the start of one. */
export default class RunsController {
  async index(ctx: HttpContext) {
    const asked = Number(ctx.request.qs().percent)
    const percent = Number.isSafeInteger(asked) && asked >= 0 && asked <= 1000 ? asked : 20
    const request = listRequest(ctx, comparedList)
    const running = await BillingRun.query()
      .where({ status: 'running' })
      .whereNotNull('operationId')
      .first()
    const { preview, facts, accounts } = await previewRun(DateTime.utc(), request, percent)
    const operation = running && (await Operation.find(running.operationId))
    return renderPage(ctx, 'admin/billing/run', {
      ...facts,
      ...{ preview, accounts, changes, percent, runs: await lastRuns() },
      operation: operation?.describe() ?? null,
    })
  }

  async start(ctx: HttpContext) {
    const operation = await startRun({ actor: ctx.actor!, ip: ctx.request.ip() })
    answer(ctx, {
      message: 'The billing run is started.',
      data: { operation: operation.describe() },
      status: 202,
    })
  }
}
