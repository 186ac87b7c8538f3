import type { HttpContext } from '@adonisjs/core/http'

/** Renders a page with exactly the props that `transformers/pages.ts` names for it. */
export function renderPage<Props extends object>(ctx: HttpContext, page: string, props: Props) {
  return ctx.inertia.render(page as never, props as never)
}
