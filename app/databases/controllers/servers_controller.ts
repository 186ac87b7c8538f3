import { startServerAction } from '#databases/actions/start_server_action'
import { requireSelectedServer } from '#databases/queries/selected_server'
import { engineOfRoute } from '#databases/queries/engine_of_route'
import { databaseDriver } from '#databases/servers/drivers'
import { serverActionValidator } from '#databases/validators/database'
import { respond } from '#core/action_response'
import type { HttpContext } from '@adonisjs/core/http'

const begun = {
  install: 'Installing the database server…',
  start: 'Starting the database server…',
  stop: 'Stopping the database server…',
  restart: 'Restarting the database server…',
}

export default class ServersController {
  async act(ctx: HttpContext) {
    const server = await requireSelectedServer(ctx, engineOfRoute(ctx))
    const { action } = await ctx.request.validateUsing(serverActionValidator)
    const operation = await startServerAction(ctx.actor, server, action, ctx.request.ip())
    respond(ctx, {
      status: 202,
      message: begun[action],
      data: { operation_id: operation.id, operation: operation.describe() },
    })
  }

  async log(ctx: HttpContext) {
    const server = await requireSelectedServer(ctx, engineOfRoute(ctx))
    const text = await databaseDriver(server).servers.log(server)
    const lines = text.split('\n').filter(Boolean)
    ctx.response.header('cache-control', 'no-store')
    ctx.response.json({ success: true, message: '', data: { lines } })
  }
}
