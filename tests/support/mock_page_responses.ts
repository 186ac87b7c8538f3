import type { Pages } from '#core/page_props'
import type { Page, Route } from 'playwright-core'

/** What a page is sent, and what its calls are answered, in place of the server. */
export interface PageResponses<Name extends keyof Pages> {
  /** Where the page is; what is below it are its calls. */
  path: string
  component: Name
  props: Pages[Name]
  /** The answer to a call, by method and path; without one the call reaches the server. */
  answers?: Record<string, (sent: Record<string, unknown>) => { status?: number; body: object }>
}

/** The calls that were answered from the script, in order. */
export type ReceivedCalls = { call: string; sent: Record<string, unknown> }[]

/**
 * Answers a page of ours and its calls from a script, where what it is about cannot be had here. Menus,
 * the person and everything shared come from the server; the page is reached by a link, not by its
 * address.
 */
export async function mockPageResponses<Name extends keyof Pages>(
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

/** JSON as it is; of a form with files nothing. */
function parseSentBody(text: string | null): Record<string, unknown> {
  try {
    return JSON.parse(text ?? '{}') as Record<string, unknown>
  } catch {
    return {}
  }
}
