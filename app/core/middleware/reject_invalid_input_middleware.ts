import { bodyLimit, MAX_JSON_DEPTH, uploads } from '#config/bodyparser'
import { bodyTooLarge } from '#core/body_too_large'
import { limitMultipartParser, watchRequestBytes } from '#core/multipart_limits'
import { invalid } from '#core/app_error'
import { discardBody } from '#core/upload'
import type { HttpContext } from '@adonisjs/core/http'
import type { NextFn } from '@adonisjs/core/types/http'

limitMultipartParser()

/**
 * The form parser stores file handlers in a plain object. A file field called `constructor` would crash the
 * process.
 */
const FORBIDDEN_NAMES = [...Object.getOwnPropertyNames(Object.prototype), 'handler', 'options']

/**
 * Rejects input that no route can use: text that PostgreSQL cannot store (NUL, lone surrogates), names that every
 * JavaScript object has (such as `constructor`), and extreme nesting.
 */
export default class RejectInvalidInputMiddleware {
  async handle(ctx: HttpContext, next: NextFn) {
    const { request } = ctx
    if (request.multipart) {
      for (const name of FORBIDDEN_NAMES) {
        request.multipart.onFile(name, {}, async (part) => void part.resume())
      }
      if (!uploads.includes(ctx.route?.pattern ?? '')) await readFields(ctx)
    }
    const fault = [request.body(), request.qs(), ctx.params].map(inputProblem).find(Boolean)
    if (!fault) return next()
    // So that the rejected input reaches neither the session nor the logs.
    request.updateBody({})
    request.updateQs({})
    throw invalid({ [fault.field]: fault.message })
  }
}

async function readFields({ request, route }: HttpContext): Promise<void> {
  const { multipart } = request
  watchRequestBytes(request.request, bodyLimit(route?.pattern), () =>
    multipart.abort(bodyTooLarge())
  )
  try {
    await multipart.process()
  } catch (error) {
    discardBody(request.request)
    throw error
  }
}

function inputProblem(input: unknown): { field: string; message: string } | null {
  const waiting: { value: unknown; field: string; depth: number }[] = [
    { value: input, field: '', depth: 0 },
  ]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, field, depth } = next
    if (typeof value === 'string' && !isValidText(value)) {
      return { field, message: 'This field contains characters that are not allowed.' }
    }
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_JSON_DEPTH) return { field, message: 'The data is nested too deeply.' }
    for (const [key, inner] of Object.entries(value)) {
      const name = field || (isValidText(key) ? key.slice(0, 100) : 'input')
      if (!isValidText(key) || key in Object.prototype) {
        return { field: name, message: 'The field name is not allowed.' }
      }
      waiting.push({ value: inner, field: name, depth: depth + 1 })
    }
  }
  return null
}

function isValidText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}
