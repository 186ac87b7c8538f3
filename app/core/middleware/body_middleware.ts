import { bodyLimit, MAX_JSON_DEPTH, MAX_VALUES, parserConfig, uploads } from '#config/bodyparser'
import { databaseWatch } from '#config/database'
import { invalid, AppError } from '#core/app_error'
import { bodyTooLarge } from '#core/body_too_large'
import { discardBody } from '#core/upload'
import { DatabaseFrozenError } from '#packages/service/database_watch'
import { findExceededJsonLimit } from '#packages/service/json_limits'
import BodyParserMiddleware from '@adonisjs/core/bodyparser_middleware'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

/** With a longer header, the form parser's regular expressions would run for half a second. */
const MAX_CONTENT_TYPE_LENGTH = 300

const parsers = new Map<number, BodyParserMiddleware>()

/**
 * Enforces the body limits of each route (config/bodyparser.ts): bytes after decompression, number of values,
 * depth. Rejects a body before parsing it costs much memory or time.
 */
export default class BodyMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    // The database does not respond. Without this error, the request would wait for a connection that cannot be
    // opened.
    if (databaseWatch.isFrozen) throw new DatabaseFrozenError()
    try {
      await readBody(ctx)
    } catch (error) {
      discardBody(ctx.request.request)
      throw asBodyError(error)
    }
    return next()
  }
}

async function readBody(ctx: HttpContext): Promise<void> {
  const { request, route } = ctx
  if ((request.header('content-type')?.length ?? 0) > MAX_CONTENT_TYPE_LENGTH) {
    throw new AppError('refused', 415, 'The Content-Type header is too long.')
  }
  const limit = bodyLimit(route?.pattern)
  const takesFiles = uploads.includes(route?.pattern ?? '')
  // The form parser does not check Content-Length.
  if (!takesFiles && Number(request.header('content-length') ?? 0) > limit) throw bodyTooLarge()
  let parser = parsers.get(limit)
  if (!parser) parsers.set(limit, (parser = new BodyParserMiddleware(parserConfig(limit))))
  await parser.handle(ctx, async () => {})
  if (request.bodyType === 'raw') request.updateBody(parseJson(request.raw() ?? ''))
}

function parseJson(text: string): Record<string, unknown> {
  if (!text) return {}
  if (!/^[\x20\t\n\r]*[[{]/.test(text)) {
    throw new AppError('refused', 422, 'The request body must be a JSON object or array.')
  }
  const excess = findExceededJsonLimit(text, { values: MAX_VALUES, depth: MAX_JSON_DEPTH })
  if (excess === 'depth') throw invalid({ input: 'The data is nested too deeply.' })
  if (excess) throw bodyTooLarge()
  try {
    // `JSON.parse` creates ordinary properties for names such as `__proto__`. `RejectInvalidInputMiddleware`
    // rejects these later.
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new AppError('refused', 400, 'The request body is not valid JSON.')
  }
}

/**
 * Converts invalid compression, and too many or too deeply nested form fields, to 4xx errors, because the client
 * caused them.
 */
function asBodyError(error: unknown): unknown {
  if (error instanceof RangeError) {
    return /depth/i.test(error.message)
      ? invalid({ input: 'The data is nested too deeply.' })
      : bodyTooLarge()
  }
  if (String((error as NodeJS.ErrnoException).code).startsWith('Z_')) {
    return new AppError('refused', 400, 'The request body cannot be decompressed.')
  }
  return error
}
