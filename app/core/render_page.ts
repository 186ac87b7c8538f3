import { wantsJson } from '#core/request_kind'
import type { PagePropsByFile } from '#core/page_props'
import type { HttpContext } from '@adonisjs/core/http'
import type { ComponentProps } from '@adonisjs/inertia/types'

declare module '@adonisjs/inertia/types' {
  /** Index signatures that the framework requires. `PagePropsByFile` has the exact types. */
  interface InertiaPages {
    [name: string]: ComponentProps
  }
}

/** Clients that prefer JSON get the page's props (docs/product.md, "Answers of calls"). */
export async function renderPage<Name extends keyof PagePropsByFile>(
  ctx: HttpContext,
  page: Name,
  props: PagePropsByFile[Name]
) {
  if (wantsJson(ctx)) return { success: true, message: '', data: props }
  return ctx.inertia.render(page, props as ComponentProps)
}
