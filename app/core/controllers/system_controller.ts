import { answer } from '#core/answers'
import { listRequest } from '#core/list_page'
import { findOperation } from '#core/queries/operations'
import { giveUpOperation, retryOperation } from '#core/operations/stuck'
import { renderPage } from '#core/page'
import {
  scheduleListing,
  schedulesPage,
  serviceTables,
  workListing,
  workPage,
} from '#core/queries/system'
import type { HttpContext } from '@adonisjs/core/http'

/** `/admin/system`: what Berth is doing by itself, what of it needs somebody, and what its services keep. */
export default class SystemController {
  async index(ctx: HttpContext) {
    if (ctx.request.qs().tab === 'schedules') {
      const page = await schedulesPage(listRequest(ctx, scheduleListing))
      return renderPage(ctx, 'admin/system', { tab: 'schedules', ...page })
    }
    if (ctx.request.qs().tab === 'tables') {
      return renderPage(ctx, 'admin/system', { tab: 'tables', services: await serviceTables() })
    }
    const page = await workPage(listRequest(ctx, workListing()))
    return renderPage(ctx, 'admin/system', { tab: 'work', ...page })
  }

  async retry(ctx: HttpContext) {
    await retryOperation(await findOperation(ctx.actor!, ctx.params.id), ctx.actor!)
    return answer(ctx, { message: 'It goes on where it was.' })
  }

  async giveUp(ctx: HttpContext) {
    await giveUpOperation(await findOperation(ctx.actor!, ctx.params.id), ctx.actor!)
    return answer(ctx, { message: 'It is ended as failed.' })
  }
}
