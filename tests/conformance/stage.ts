import type Person from '#identity/models/person'
import {
  openBrowser,
  takeScreenshot,
  signInThroughPage,
  type BrowserOptions,
} from '#tests/support/browser'
import type { Group } from '@japa/runner/core'
import type { BrowserContext, Page } from 'playwright-core'

/** A browser that is open from the first test of a group to its last. */
export interface Stage<P = Person> {
  page: Page
  context: BrowserContext
  /** Who is signed in. */
  person: P
}

let current: Page | undefined

/** Opens it for a group, with somebody signed in unless there is nobody. */
export function stageOf<P extends Person | undefined>(
  group: Group,
  who: () => Promise<P>,
  view?: BrowserOptions
): Stage<P> {
  const stage = {} as Stage<P>
  group.setup(async () => {
    const person = await who()
    const { context, page } = await openBrowser(view)
    Object.assign(stage, { context, page, person })
    current = page
    if (person) await signInThroughPage(page, person)
    return async () => {
      current = undefined
      await context.close()
    }
  })
  return stage
}

/** Keeps a picture of what is on stage where a proof of these rows fails. */
export async function watched<T>(rows: string, prove: () => Promise<T>): Promise<T> {
  try {
    return await prove()
  } catch (error) {
    if (current) await takeScreenshot(current, `${rows.replace(/\W+/g, '-')}-stopped-here`)
    throw error
  }
}
