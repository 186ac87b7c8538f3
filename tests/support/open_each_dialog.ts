/// <reference lib="dom" />
import { visit } from '#tests/support/browser'
import { refuseChanges } from '#tests/support/refuse_changes'
import type { Page } from 'playwright-core'

export const OVERLAY_SELECTOR = '[role="dialog"], [role="alertdialog"], [role="menu"]'
/** Maximum time after a click until a dialog or a menu opens. */
const OPEN_TIMEOUT_MS = 500

type OverlayKind = 'menu' | 'dialog' | null

/**
 * Opens every dialog and menu of a page, one after another. Yields the names of the buttons that opened it. Requests
 * other than GET are rejected with 409 (`refuseChanges`), so that even dangerous buttons change nothing. In lists,
 * only the first row is tried.
 */
export async function* openEachDialog(page: Page, path: string): AsyncGenerator<string> {
  const allowChanges = refuseChanges()
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
            if ((await waitForOverlay(page, ['dialog'])) === 'dialog') yield `${button}, ${item}`
            await closeOverlays(page, path)
          }
        }
      }
      await closeOverlays(page, path)
    }
  } finally {
    allowChanges()
  }
}

function topOverlay(page: Page): Promise<OverlayKind> {
  return page.evaluate(findTopOverlay, { selector: OVERLAY_SELECTOR, until: [], timeoutMs: 0 })
}

/**
 * Waits until the top overlay is one of `until`, at most for `OPEN_TIMEOUT_MS`. Returns the overlay that is on top
 * then.
 */
function waitForOverlay(
  page: Page,
  until: OverlayKind[] = ['menu', 'dialog']
): Promise<OverlayKind> {
  const timeoutMs = OPEN_TIMEOUT_MS
  return page.evaluate(findTopOverlay, { selector: OVERLAY_SELECTOR, until, timeoutMs })
}

/**
 * Returns the kind of the top overlay. Waits inside the page, because each call into the page takes processor time in
 * three processes.
 */
async function findTopOverlay({
  selector,
  until,
  timeoutMs,
}: {
  selector: string
  until: OverlayKind[]
  timeoutMs: number
}): Promise<OverlayKind> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const shown = [...document.querySelectorAll(selector)].filter((one) =>
      one.checkVisibility({ visibilityProperty: true })
    )
    const isMenu = shown.every((one) => one.getAttribute('role') === 'menu')
    const found = shown.length === 0 ? null : isMenu ? 'menu' : 'dialog'
    if (until.includes(found) || performance.now() >= deadline) return found
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** Closes all overlays. Opens the page again if an overlay does not close or the browser has left the page. */
async function closeOverlays(page: Page, path: string): Promise<void> {
  const here = () => new URL(page.url()).pathname + new URL(page.url()).search === path
  for (let tries = 0; tries < 3 && (await topOverlay(page)); tries++) {
    await page.keyboard.press('Escape')
    await waitForOverlay(page, [null])
  }
  if ((await topOverlay(page)) || !here()) await visit(page, path)
}

/**
 * Presses the button with this name. Without a name, returns the names of all buttons that may open something. Runs in
 * the page. Buttons in rows are named by their first word, because all rows have the same buttons.
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
      // Skips floating buttons, which are the same on every page.
      getComputedStyle(one).position !== 'fixed' &&
      !/^(Copy|Clear|Load|Try)\b/.test(nameOf(one))
  )
  if (name === undefined) return [...new Set(buttons.map(nameOf))].filter(Boolean)
  buttons.find((one) => nameOf(one) === name)?.click()
  return []
}
