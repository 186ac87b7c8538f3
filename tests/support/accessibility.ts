/// <reference lib="dom" />
import { showInColorScheme } from '#tests/support/browser'
import type axe from 'axe-core'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** The minified file, because every page that is loaded parses it. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * Checks a page with axe for WCAG 2.1 A and AA.
 * @param within selector of the part to check. Default: the whole page
 */
export async function findAccessibilityViolations(page: Page, within?: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate(
    (part) =>
      (window as unknown as { axe: typeof axe }).axe.run(part ?? document, {
        runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'],
        resultTypes: ['violations'],
        // None of these rules reads style sheets.
        preload: { assets: ['media'] },
      }),
    within
  )
  return violations.flatMap(({ id, help, nodes }) => {
    // The scrollable element is CodeMirror's text, which is focusable itself.
    const found = nodes.filter(
      ({ html }) => id !== 'scrollable-region-focusable' || !html.includes('cm-scroller')
    )
    const words = found.map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary}`)
    return words.length ? [`${id}: ${help}: ${words.join(' | ')}`] : []
  })
}

export async function assertAccessible(page: Page, words: string): Promise<void> {
  assert.deepEqual(await findAccessibilityViolations(page), [], words)
}

/** Checks the page in both colour schemes, and ends in the light one. */
export async function assertAccessibleInBothColorSchemes(page: Page, words: string): Promise<void> {
  for (const scheme of ['dark', 'light'] as const) {
    await showInColorScheme(page, scheme)
    await assertAccessible(page, `${words}, ${scheme}`)
  }
}
