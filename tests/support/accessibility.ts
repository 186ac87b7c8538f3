/// <reference lib="dom" />
import { showInColorScheme } from '#tests/support/browser'
import type axe from 'axe-core'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'

/** The minified file is used, because every checked page has to parse it. */
const axeSource = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const LEVELS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']
/** The rules (WCAG A and AA) whose result depends on the colour scheme. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Checks a page with axe for WCAG 2.1 A and AA.
 * @param within selector of the part to check. Default: the whole page
 * @param isOtherScheme whether the page was already checked in the other colour scheme. Only the rules about
 *   colours are checked then.
 */
export async function findAccessibilityViolations(
  page: Page,
  within?: string,
  isOtherScheme = false
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource)
  const { violations } = await page.evaluate(
    ({ part, runOnly }) =>
      (window as unknown as { axe: typeof axe }).axe.run(part ?? document, {
        runOnly,
        resultTypes: ['violations'],
        // Loads no style sheets, because none of these rules reads them.
        preload: { assets: ['media'] },
      }),
    { part: within, runOnly: isOtherScheme ? COLOR_RULES : LEVELS }
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

/**
 * Checks all rules in the light scheme, and the rules about colours in the dark one. Afterwards, the page is in the
 * light scheme.
 */
export async function assertAccessibleInBothColorSchemes(page: Page, words: string): Promise<void> {
  await showInColorScheme(page, 'dark')
  assert.deepEqual(await findAccessibilityViolations(page, undefined, true), [], `${words}, dark`)
  await showInColorScheme(page, 'light')
  await assertAccessible(page, `${words}, light`)
}
