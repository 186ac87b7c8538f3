import { streamChanges } from '#core/live/change_stream'
import type { HttpContext } from '@adonisjs/core/http'

/** `GET /changes` and `/admin/changes`: the only event stream that a page listens to. */
export default class ChangeStreamController {
  async show(ctx: HttpContext) {
    await streamChanges(ctx)
  }
}
