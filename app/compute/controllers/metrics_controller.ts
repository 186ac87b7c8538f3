import HostInstance from '#compute/models/host_instance'
import ServerInstance from '#compute/models/server_instance'
import { metricsHistory, rangeOf } from '#compute/metrics/history'
import type { Subject } from '#compute/metrics/samples'
import { notFound } from '#core/refusal'
import type { HttpContext } from '@adonisjs/core/http'

/** What instances and hosts used, for charts: `GET …/{id}/metrics?range=1h|24h|7d|90d`. */
export default class MetricsController {
  /** A customer's own instance. */
  async instance(ctx: HttpContext) {
    const query = ServerInstance.query().where('customerId', ctx.actor!.id)
    return show(ctx, 'instance', await find(ctx, query, 'server instance'))
  }

  /** Any instance, for staff. */
  async anyInstance(ctx: HttpContext) {
    return show(ctx, 'instance', await find(ctx, ServerInstance.query(), 'server instance'))
  }

  async host(ctx: HttpContext) {
    return show(ctx, 'host', await find(ctx, HostInstance.query(), 'host instance'))
  }
}

type Query = ReturnType<typeof ServerInstance.query> | ReturnType<typeof HostInstance.query>

async function find({ params }: HttpContext, query: Query, noun: string): Promise<number> {
  const id = Number(params.id)
  const row = Number.isSafeInteger(id)
    ? await query.where('id', id).whereNot('status', 'deleted').select('id').first()
    : null
  if (!row) throw notFound(noun)
  return row.id
}

async function show({ request, response }: HttpContext, subject: Subject, id: number) {
  const metrics = await metricsHistory(subject, id, rangeOf(request.qs().range))
  return response.json({ success: true, message: '', data: { metrics } })
}
