import type { PagePropsByFile } from '#core/page_props'
import type { Page, Route } from 'playwright-core'

export interface PageResponses<Name extends keyof PagePropsByFile> {
  /** Path of the page. Only calls to this path and those below it are mocked. */
  path: string
  component: Name
  props: PagePropsByFile[Name]
  /** Responses by method and path, such as `POST /email/store`. Other calls reach the server. */
  answers?: Record<string, (sent: Record<string, unknown>) => { status?: number; body: object }>
}

/** Calls that the mock answered, oldest first. */
export type ReceivedCalls = { call: string; sent: Record<string, unknown> }[]

/**
 * Replaces the props and calls of a page whose backend does not run in these tests. Menus, the signed-in person and
 * shared props still come from the server. Open the page through a link, not by its URL.
 */
export async function mockPageResponses<Name extends keyof PagePropsByFile>(
  page: Page,
  script: PageResponses<Name>
): Promise<ReceivedCalls> {
  const heard: ReceivedCalls = []
  const { path, component, props, answers = {} } = script

  const asPage = async (route: Route) => {
    const request = route.request()
    const { 'x-inertia-partial-component': _, ...headers } = request.headers()
    const url = new URL(request.url())
    const real = await route.fetch({ url: `${url.origin}/`, headers })
    const body = (await real.json()) as { props: object }
    await route.fulfill({
      response: real,
      json: {
        ...body,
        component,
        url: url.pathname + url.search,
        props: { ...body.props, ...props },
      },
    })
  }

  await page.route(
    (url) => url.pathname === path || url.pathname.startsWith(`${path}/`),
    async (route) => {
      const request = route.request()
      const { pathname } = new URL(request.url())
      const call = `${request.method()} ${pathname}`
      const answer = answers[call]
      if (answer) {
        const sent = parseSentBody(request.postData())
        heard.push({ call, sent })
        const { status = 200, body } = answer(sent)
        return route.fulfill({ status, json: body })
      }
      if (pathname === path && request.headers()['x-inertia']) return asPage(route)
      return route.fallback()
    }
  )
  return heard
}

/** Parses a JSON body. Returns an empty object for other bodies, such as multipart forms. */
function parseSentBody(text: string | null): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, unknown>
  } catch {
    return {}
  }
}
