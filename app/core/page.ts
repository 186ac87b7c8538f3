import type { HttpContext } from '@adonisjs/core/http'

/**
 * Renders a page, named by its file below `inertia/pages`. Pages are another program with types of
 * their own, so that what they get is checked where the type of their props is named.
 */
export function renderPage<Props extends object>(ctx: HttpContext, page: string, props: Props) {
  return ctx.inertia.render(page as never, props as never)
}
