import { invalid } from '#core/refusal'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** Reads the body; what is nested so deeply that its parser gives up is the caller's mistake. */
export default class BodyMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const parser = await ctx.containerResolver.make(BodyParserMiddleware)
    try {
      await parser.handle(ctx, async () => {})
    } catch (error) {
      if (error instanceof RangeError) throw invalid({ input: 'This is nested too deeply.' })
      throw error
    }
    return next()
  }
}
