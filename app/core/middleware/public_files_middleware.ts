import { inject } from '@adonisjs/core'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'
import StaticMiddleware from '@adonisjs/static/static_middleware'
import { extname } from 'node:path'

/** All files in `public` have an extension, so requests for pages need no file access. */
@inject()
export default class PublicFilesMiddleware {
  #files: StaticMiddleware

  constructor(files: StaticMiddleware) {
    this.#files = files
  }

  handle(ctx: HttpContext, next: NextFn) {
    return extname(ctx.request.url()) ? this.#files.handle(ctx, next) : next()
  }
}
