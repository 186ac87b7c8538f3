/// <reference lib="dom" />
import { visit } from '#tests/support/browser'
import type { Page } from 'playwright-core'

/** What lies over a page. */
export const OVERLAY_SELECTOR = '[role="dialog"], [role="alertdialog"], [role="menu"]'
/** How long a press may take to open something, in milliseconds. */
const OPEN_TIMEOUT_MS = 500

/**
 * Opens what the buttons of a page open, one after the other, and items of menus too; names each by the
 * way to it. What the buttons send meanwhile is refused before it leaves the browser, so that nothing is
 * changed however dangerous they are. Of the rows of a list one is enough.
 */
export async function* openEachDialog(page: Page, path: string): AsyncGenerator<string> {
  const refused = { success: false, code: 'conflict', message: 'Nothing is changed here.' }
  await page.route('**/*', (route) =>
    route.request().method() === 'GET'
      ? route.fallback()
      : route.fulfill({ status: 409, json: refused })
  )
  try {
    for (const button of await page.evaluate(pressButton, { within: 'main' })) {
      const open = async () => {
        await page.evaluate(pressButton, { within: 'main', name: button })
        return waitForOverlay(page)
      }
      const what = await open()
      if (what) {
        yield button
        if (what === 'menu') {
          const items = await page.evaluate(pressButton, { within: '[role="menu"]' })
          for (const item of items) {
            if ((await topOverlay(page)) !== 'menu' && (await open()) !== 'menu') break
            await page.evaluate(pressButton, { within: '[role="menu"]', name: item })
            if ((await waitForOverlay(page, 'dialog')) === 'dialog') yield `${button}, ${item}`
            await closeOverlays(page, path)
          }
        }
      }
      await closeOverlays(page, path)
    }
  } finally {
    await page.unroute('**/*')
  }
}

/** Of what lies over the page now the topmost; null: nothing. */
function topOverlay(page: Page): Promise<'menu' | 'dialog' | null> {
  return page.evaluate((over) => {
    const shown = [...document.querySelectorAll(over)].filter((one) =>
      one.checkVisibility({ visibilityProperty: true })
    )
    const roles = shown.map((one) => one.getAttribute('role'))
    if (roles.length === 0) return null
    return roles.every((role) => role === 'menu') ? 'menu' : 'dialog'
  }, OVERLAY_SELECTOR)
}

async function waitForOverlay(page: Page, wanted?: 'dialog'): Promise<'menu' | 'dialog' | null> {
  const deadline = Date.now() + OPEN_TIMEOUT_MS
  for (;;) {
    const what = await topOverlay(page)
    if (what && (!wanted || what === wanted)) return what
    if (Date.now() > deadline) return what
    await page.evaluate(() => new Promise(requestAnimationFrame))
  }
}

/** Closes what is open; a page that was left, or does not close it, is opened anew. */
async function closeOverlays(page: Page, path: string): Promise<void> {
  const here = () => new URL(page.url()).pathname + new URL(page.url()).search === path
  for (let tries = 0; tries < 3 && (await topOverlay(page)); tries++) {
    await page.keyboard.press('Escape')
    const deadline = Date.now() + OPEN_TIMEOUT_MS
    while ((await topOverlay(page)) && Date.now() < deadline) {
      await page.evaluate(() => new Promise(requestAnimationFrame))
    }
  }
  if ((await topOverlay(page)) || !here()) await visit(page, path)
}

/**
 * Runs in a page: presses the button of this name, or says the names of all that may open something. Buttons
 * of rows go by their first word, since those of all rows do the same.
 */
function pressButton({ within, name }: { within: string; name?: string }): string[] {
  const root = [...document.querySelectorAll(within)].at(-1)
  if (!root) return []
  const nameOf = (one: Element) => {
    const words = (one.getAttribute('aria-label') ?? one.textContent ?? '').trim()
    const short = words.replace(/\s+/g, ' ').slice(0, 60)
    return one.closest('tr[data-row], article, li') ? `${short.split(' ')[0]} …` : short
  }
  const buttons = [...root.querySelectorAll<HTMLElement>('button')].filter(
    (one) =>
      one.checkVisibility({ visibilityProperty: true }) &&
      !one.matches(':disabled, [aria-disabled="true"], [data-disabled]') &&
      !one.matches('[role="tab"], [aria-pressed], [type="submit"], [aria-label^="Page "]') &&
      !one.closest('th, .xterm, .cm-editor') &&
      // The same on every page.
      getComputedStyle(one).position !== 'fixed' &&
      !/^(Copy|Clear|Load|Try)\b/.test(nameOf(one))
  )
  if (name === undefined) return [...new Set(buttons.map(nameOf))].filter(Boolean)
  buttons.find((one) => nameOf(one) === name)?.click()
  return []
}
