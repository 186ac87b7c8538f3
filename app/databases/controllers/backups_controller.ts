import { notPossible } from '#databases/errors'
import { findAnyDatabase } from '#databases/queries/databases'
import type { HttpContext } from '@adonisjs/core/http'

/** Copies of databases, and when they are made. */
export default class BackupsController {
  async store(ctx: HttpContext) {
    await findAnyDatabase(ctx.actor!, ctx.request.input('id') ?? ctx.params.id)
    throw notPossible('This is not possible yet.')
  }

  async restore(ctx: HttpContext) {
    await findAnyDatabase(ctx.actor!, ctx.request.input('id') ?? ctx.params.id)
    throw notPossible('This is not possible yet.')
  }

  async destroy(ctx: HttpContext) {
    await findAnyDatabase(ctx.actor!, ctx.request.input('id') ?? ctx.params.id)
    throw notPossible('This is not possible yet.')
  }

  async plan(ctx: HttpContext) {
    await findAnyDatabase(ctx.actor!, ctx.request.input('id') ?? ctx.params.id)
    throw notPossible('This is not possible yet.')
  }

  async download(ctx: HttpContext) {
    await findAnyDatabase(ctx.actor!, ctx.request.input('id') ?? ctx.params.id)
    throw notPossible('This is not possible yet.')
  }
}
