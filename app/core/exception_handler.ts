import { siteAreaOf, isPageVisit } from '#core/request_kind'
import { bodyTooLarge } from '#core/body_too_large'
import { DATABASE_SILENT_CODE } from '#core/locks'
import { toAppErrorIfMachineError } from '#core/machine_errors'
import { renderPage } from '#core/render_page'
import { describeError } from '#core/modules'
import { plainErrorPage } from '#core/plain_error_page'
import { checkReadiness } from '#core/readiness'
import { type FieldErrors, AppError } from '#core/app_error'
import app from '@adonisjs/core/services/app'
import { ExceptionHandler, type HttpContext } from '@adonisjs/core/http'
import { errors as vine } from '@vinejs/vine'

interface ErrorResponse {
  status: number
  code: string
  message: string
  errors?: FieldErrors
  retryAfter?: number
}

/** Returns whether the current page stays open and shows the error in a dialog, so that no unsaved text is lost. */
function keepsPage({ code }: ErrorResponse, { request }: HttpContext): boolean {
  return code === 'signed_out' && request.header('x-signed-out') === 'json'
}

/** Converts every error to a response (docs/product.md, "Answers of calls"). No other code may do this. */
export default class HttpExceptionHandler extends ExceptionHandler {
  protected debug = !app.inProduction

  async handle(thrown: unknown, ctx: HttpContext) {
    const outcome = await withKnownStatus(errorResponseFor(toAppErrorIfMachineError(thrown), ctx))
    if (outcome.retryAfter) ctx.response.header('retry-after', String(outcome.retryAfter))
    if (!isPageVisit(ctx) || keepsPage(outcome, ctx)) {
      const { status, code, message, errors } = outcome
      return ctx.response
        .status(status)
        .json({ success: false, code, message, ...(errors && { errors }) })
    }
    if (outcome.status === 401 && ctx.request.method() === 'GET') {
      return ctx.response.redirect().toPath(signInPath(ctx))
    }
    if (outcome.code === MAINTENANCE_CODE) return this.#away(ctx, outcome)
    if (isReading(ctx) || !ctx.session) return this.#page(ctx, outcome)

    ctx.session.flashOnly(['email'])
    const redirect = ctx.response.redirect().status(303)
    if (outcome.status === 401) {
      ctx.session.flash('notice', { success: false, message: outcome.message })
      return redirect.toPath(signInPath(ctx))
    }
    if (ctx.request.header('x-inertia')) {
      ctx.session.flash('inputErrorsBag', outcome.errors ?? { form: [outcome.message] })
      return redirect.withQs().back()
    }
    // The browser submitted the form without our script. Invalid fields get a flash message, other errors an error
    // page.
    if (outcome.status !== 422) return this.#page(ctx, outcome)
    if (outcome.errors) ctx.session.flash('inputErrorsBag', outcome.errors)
    ctx.session.flash('notice', { success: false, message: outcome.message })
    return redirect.withQs().back()
  }

  async report(error: unknown, ctx: HttpContext) {
    if (error instanceof AppError && error.status < 500) return
    const status = errorResponseFor(toAppErrorIfMachineError(error), ctx).status
    if (status < 500) return
    ctx.logger.error({ err: error }, 'request failed')
  }

  async #page(ctx: HttpContext, outcome: ErrorResponse) {
    const { status, message } = outcome
    ctx.response.status(status)
    if (!ctx.inertia) return ctx.response.send(message)
    const props = { status, message, again: retryLink(ctx) }
    try {
      return ctx.response.send(await renderPage(ctx, errorPageFor(outcome), props))
    } catch (error) {
      // Rendering in the layout may have failed, so this page does not use the layout.
      ctx.logger.error({ err: error }, 'page of an error cannot be made')
      return this.#plain(ctx, { status, title: 'Server error', message })
    }
  }

  /**
   * Responds with a page that needs no session and no tables. For a GET request of Inertia, makes the browser load
   * the whole page. A submitted form keeps its input.
   */
  #away(ctx: HttpContext, { status, message, retryAfter }: ErrorResponse) {
    if (ctx.request.header('x-inertia') && isReading(ctx)) {
      return ctx.response.status(409).header('x-inertia-location', retryLink(ctx)).send('')
    }
    return this.#plain(ctx, { status, title: 'Back in a moment', message, again: retryAfter })
  }

  #plain({ response }: HttpContext, page: Parameters<typeof plainErrorPage>[0]) {
    response.header('cache-control', 'no-store').type('html')
    return response.status(page.status).send(plainErrorPage({ ...page, nonce: response.nonce }))
  }
}

const MAINTENANCE_CODE = 'maintenance'

/**
 * Replaces an unexpected error by status 503 if the database is unreachable or its tables are older than this
 * version.
 */
async function withKnownStatus(outcome: ErrorResponse): Promise<ErrorResponse> {
  const isMaintenance =
    outcome.code === DATABASE_SILENT_CODE ||
    (outcome.code === 'fault' && (await checkReadiness()) !== 'ok')
  if (!isMaintenance) return outcome
  return {
    status: 503,
    code: MAINTENANCE_CODE,
    message:
      'The console is restarting and will be back in a moment. Your instances, sites and files are not affected. Your last action was not carried out.',
    retryAfter: 10,
  }
}

function isReading({ request }: HttpContext): boolean {
  return request.method() === 'GET' || request.method() === 'HEAD'
}

/**
 * Returns the path of the requested page, or of the page that sent the form. Ignores a `Referer` of another
 * host.
 */
function retryLink(ctx: HttpContext): string {
  const { request } = ctx
  // A browser takes a path that begins with // for the address of another site.
  if (isReading(ctx)) return (request.request.url ?? '/').replace(/^[/\\]+/, '/')
  const from = URL.parse(request.header('referer') ?? '')
  if (from?.host === request.header('host')) return from!.pathname + from!.search
  return siteAreaOf(request.url()) === 'admin' ? '/admin' : '/'
}

function errorPageFor({
  status,
  code,
}: ErrorResponse): 'errors/not_found' | 'errors/refused' | 'errors/server_error' {
  if (status === 404) return 'errors/not_found'
  return code === 'fault' ? 'errors/server_error' : 'errors/refused'
}

function signInPath(ctx: HttpContext): string {
  return siteAreaOf(ctx.request.url()) === 'admin' ? '/admin/login' : '/login'
}

function errorResponseFor(error: unknown, ctx: HttpContext): ErrorResponse {
  if (error instanceof AppError) {
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
    const message =
      'This page was open for too long, or you signed in elsewhere, so nothing was changed. Reload the page and try again.'
    return { status: 419, code: 'out_of_date', message }
  }
  if (code === 'E_ROUTE_NOT_FOUND' || code === 'E_ROW_NOT_FOUND') {
    return { status: 404, code: 'not_found', message: 'This page does not exist.' }
  }
  if (code === 'E_REQUEST_ENTITY_TOO_LARGE') {
    return errorResponseFor(bodyTooLarge(), ctx)
  }
  if (status >= 400 && status < 500) {
    return { status, code: 'refused', message: (error as Error).message }
  }
  if (process.env.DEV_MODE) {
    return { status: 500, code: 'fault', message: describeError(error as Error) }
  }
  return {
    status: status >= 500 ? status : 500,
    code: 'fault',
    message: `Something went wrong on our side. Try again. If it happens again, send support this number: ${ctx.request.id()}`,
  }
}
