import { areaOf, isPageVisit } from '#core/area'
import { asRefusal } from '#core/machine_refusal'
import { renderPage } from '#core/page'
import { type FieldErrors, Refusal } from '#core/refusal'
import app from '@adonisjs/core/services/app'
import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import { errors as vine } from '@vinejs/vine'

interface Outcome {
  status: number
  /** For programs: what was refused, whatever the words are. */
  code: string
  message: string
  errors?: FieldErrors
  retryAfter?: number
}

/** Every error becomes an answer here and nowhere else (product, "Answers of calls"). */
export default class HttpExceptionHandler extends ExceptionHandler {
  protected debug = !app.inProduction

  async handle(thrown: unknown, ctx: HttpContext) {
    const outcome = outcomeOf(asRefusal(thrown), ctx)
    if (outcome.retryAfter) ctx.response.header('retry-after', String(outcome.retryAfter))
    if (!isPageVisit(ctx)) {
      const { status, code, message, errors } = outcome
      return ctx.response
        .status(status)
        .json({ success: false, code, message, ...(errors && { errors }) })
    }
    if (outcome.status === 401 && ctx.request.method() === 'GET') {
      return ctx.response.redirect().toPath(signInOf(ctx))
    }
    const asked = ctx.request.method()
    if (asked === 'GET' || asked === 'HEAD' || !ctx.session) return this.#page(ctx, outcome)

    ctx.session.flashOnly(['email'])
    // Said once: where it was typed, or above the buttons of the form. A plain form has only a notice.
    if (ctx.request.header('x-inertia') && outcome.status !== 401) {
      ctx.session.flash('inputErrorsBag', outcome.errors ?? { form: [outcome.message] })
    } else ctx.session.flash('notice', { success: false, message: outcome.message })
    const redirect = ctx.response.redirect().status(303)
    return outcome.status === 401 ? redirect.toPath(signInOf(ctx)) : redirect.withQs().back()
  }

  async report(error: unknown, ctx: HttpContext) {
    if (error instanceof Refusal && error.status < 500) return
    const status = outcomeOf(asRefusal(error), ctx).status
    if (status < 500) return
    ctx.logger.error({ err: error }, 'request failed')
  }

  async #page(ctx: HttpContext, outcome: Outcome) {
    ctx.response.status(outcome.status)
    if (!ctx.inertia) return ctx.response.send(outcome.message)
    const { status, message } = outcome
    return ctx.response.send(await renderPage(ctx, pageOf(outcome), { status, message }))
  }
}

function pageOf({
  status,
  code,
}: Outcome): 'errors/not_found' | 'errors/refused' | 'errors/server_error' {
  if (status === 404) return 'errors/not_found'
  return code === 'fault' ? 'errors/server_error' : 'errors/refused'
}

function signInOf(ctx: HttpContext): string {
  return areaOf(ctx.request.url()) === 'admin' ? '/admin/login' : '/login'
}

function outcomeOf(error: unknown, ctx: HttpContext): Outcome {
  if (error instanceof Refusal) {
    const { status, code, message, errors, retryAfter } = error
    return { status, code, message, errors, retryAfter }
  }
  if (error instanceof vine.E_VALIDATION_ERROR) {
    const errors: FieldErrors = {}
    for (const { field, message } of error.messages as { field: string; message: string }[]) {
      ;(errors[field] ??= []).push(message)
    }
    const message = Object.values(errors)[0]?.[0] ?? 'Check the fields.'
    return { status: 422, code: 'invalid', message, errors }
  }
  const { status = 500, code } = error as { status?: number; code?: string }
  if (code === 'E_BAD_CSRF_TOKEN') {
    const message = 'This page is out of date. Reload it and try again.'
    return { status: 403, code: 'out_of_date', message }
  }
  if (code === 'E_ROUTE_NOT_FOUND' || code === 'E_ROW_NOT_FOUND') {
    return { status: 404, code: 'not_found', message: 'This page does not exist.' }
  }
  if (code === 'E_REQUEST_ENTITY_TOO_LARGE') {
    return { status: 413, code: 'too_large', message: 'This is more than can be sent at once.' }
  }
  if (status >= 400 && status < 500) {
    return { status, code: 'refused', message: (error as Error).message }
  }
  return {
    status: status >= 500 ? status : 500,
    code: 'fault',
    message: `Something went wrong on our side. Nothing was lost; try again. If it stays, tell us this number: ${ctx.request.id()}`,
  }
}
