import Operation, { UNFINISHED_STATUSES } from '#core/models/operation'
import { respond } from '#core/action_response'
import { cancelOperation } from '#core/operations/operations'
import { getOperation, operationsVisibleTo } from '#core/queries/operations'
import { openEventStream } from '#core/live/event_stream'
import { subscribe } from '#core/live/live_events'
import type { HttpContext } from '@adonisjs/core/http'
import { DateTime } from 'luxon'

/** Staff see all operations, customers those of their account. */
export default class OperationsController {
  /** For the progress menu: unfinished operations, and those that ended in the last minute. At most 20. */
  async index({ actor, response }: HttpContext) {
    const operations = await operationsVisibleTo(actor)
      .where((recent) =>
        recent
          .whereIn('status', UNFINISHED_STATUSES)
          .orWhere('endedAt', '>', DateTime.utc().minus({ minutes: 1 }).toSQL()!)
      )
      .orderBy('createdAt', 'desc')
      .limit(20)
    return response.json({
      success: true,
      message: '',
      data: { operations: operations.map((operation) => operation.describe()) },
    })
  }

  async show({ actor, params, response }: HttpContext) {
    const operation = await getOperation(actor, params.id)
    const data = { operation: operation.describe() }
    return response.json({ success: true, message: '', data })
  }

  /**
   * The output of the operation's commands. Of customers, only members who may use the account's resources get it,
   * because builds print tokens and variables.
   */
  async output({ actor, params, response }: HttpContext) {
    const { output } = await getOperation(actor, params.id)
    return response.json({ success: true, message: '', data: { output } })
  }

  /** Streams the operation's state (server-sent events) after changes, until the operation ends. */
  async events(ctx: HttpContext) {
    const { id } = await getOperation(ctx.actor, ctx.params.id)
    const stream = openEventStream(ctx)
    let looking = false
    let changed = false
    const look = async () => {
      changed = true
      if (looking) return
      looking = true
      try {
        // If the reader is slow, several changes become one message.
        while (changed) {
          changed = false
          const operation = await Operation.find(id)
          if (!operation) return stream.end()
          await stream.send(operation.describe())
          if (operation.status === 'done' || operation.status === 'failed') return stream.end()
        }
      } catch {
        stream.end()
      } finally {
        looking = false
      }
    }
    stream.onClose(await subscribe(`operation:${id}`, () => void look()))
    void look()
  }

  async cancel(ctx: HttpContext) {
    const operation = await getOperation(ctx.actor, ctx.params.id)
    await cancelOperation(operation)
    respond(ctx, { status: 202, message: 'Cancelling.' })
  }
}
