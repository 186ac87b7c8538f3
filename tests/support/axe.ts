/// <reference lib="dom" />
import axe from 'axe-core'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Fails with what axe finds in a page as it is now, by the rules of WCAG 2.1 A and AA. */
export async function assertAccessible(page: Page, words: string): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
    })
  )
  const found = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`).join(' | ')}`
  )
  assert.deepEqual(found, [], words)
}
