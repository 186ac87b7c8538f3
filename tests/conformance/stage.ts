import type Person from '#identity/models/person'
import {
  openBrowser,
  takeScreenshot,
  signInByRequest,
  type BrowserOptions,
} from '#tests/support/browser'
import type { Group } from '@japa/runner/core'
import type { BrowserContext, Page } from 'playwright-core'

/** A browser page that stays open during all tests of a group. `person`, if any, is signed in on it. */
export interface Stage<P = Person> {
  page: Page
  context: BrowserContext
  person: P
}

let current: Page | undefined

/**
 * Returns a stage. The group's setup sets its fields, so only tests may read them. If `who` returns a person, that
 * person is signed in on the page.
 */
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
    if (person) await signInByRequest(page, person)
    return async () => {
      current = undefined
      await context.close()
    }
  })
  return stage
}

export async function withFailureScreenshot<T>(rows: string, prove: () => Promise<T>): Promise<T> {
  try {
    return await prove()
  } catch (error) {
    if (current) await takeScreenshot(current, `${rows.replace(/\W+/g, '-')}-stopped-here`)
    throw error
  }
}
