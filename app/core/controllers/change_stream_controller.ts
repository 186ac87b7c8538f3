import { streamChanges } from '#core/live/change_stream'
import type { HttpContext } from '@adonisjs/core/http'

/** Serves `GET /changes` and `/admin/changes`, the only event stream of a page. */
export default class ChangeStreamController {
  async show(ctx: HttpContext) {
    await streamChanges(ctx)
  }
}
