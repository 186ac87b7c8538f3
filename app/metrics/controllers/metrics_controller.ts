import { getHost } from '#hosts/public'
import { getInstanceEvenIfDeleted } from '#instances/public'
import { loadMetricsHistory, parseChartRange } from '#metrics/history'
import type { MetricsSubject } from '#metrics/samples'
import type { HttpContext } from '@adonisjs/core/http'

/** Serves resource usage for charts: `GET …/{id}/metrics?range=1h|24h|7d|90d`. */
export default class MetricsController {
  async instance(ctx: HttpContext) {
    const { id } = await getInstanceEvenIfDeleted(ctx.actor, ctx.params.id)
    return show(ctx, 'instance', id)
  }

  async host(ctx: HttpContext) {
    const { id } = await getHost(ctx.params.id)
    return show(ctx, 'host', id)
  }
}

async function show({ request, response }: HttpContext, subject: MetricsSubject, id: number) {
  const metrics = await loadMetricsHistory(subject, id, parseChartRange(request.qs().range))
  return response.json({ success: true, message: '', data: { metrics } })
}
