import { wantsJson } from '#core/area'
import type { HttpContext } from '@adonisjs/core/http'

/**
 * Renders a page, named by its file below `inertia/pages`; who asks for JSON gets what it would show
 * (product, "Answers of calls"). Pages are another program with types of their own, so that what they
 * get is checked where the type of their props is named.
 */
export async function renderPage<Props extends object>(
  ctx: HttpContext,
  page: string,
  props: Props
) {
  if (wantsJson(ctx)) return { success: true, message: '', data: props }
  return ctx.inertia.render(page as never, props as never)
}
