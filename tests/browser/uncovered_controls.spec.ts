/// <reference lib="dom" />
import { makeInstance, makeProject } from '#projects/tests/fixtures'
import { takeScreenshot, visit, openPageAs } from '#tests/support/browser'
import { makeCustomer } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Returns a message for each control that a toast, the chat's button or the chat's panel covers. Runs in the page. */
function findCoveredControls(): string[] {
  const all = [...document.querySelectorAll('button, a[href], input, select, textarea')]
  const covers = [
    ...document.querySelectorAll('.Toastify__toast, [aria-label^="Live support"]'),
  ].filter((one) => one.checkVisibility())
  const header = document.querySelector('header')!
  const { bottom } = header.getBoundingClientRect()
  /** Returns whether the page has scrolled the control behind the header. */
  const isScrolledAway = (control: Element) =>
    scrollY > 0 && !header.contains(control) && control.getBoundingClientRect().top < bottom
  const covered: string[] = []
  for (const cover of covers) {
    const its = cover.getBoundingClientRect()
    for (const control of all) {
      if (cover.contains(control) || control.classList.contains('Toastify__close-button')) continue
      const box = control.getBoundingClientRect()
      if (isScrolledAway(control)) continue
      if (box.width < 2 || box.bottom <= 0 || box.top >= innerHeight) continue
      const across = Math.min(box.right, its.right) - Math.max(box.left, its.left)
      const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top)
      if (across > 1 && down > 1)
        covered.push(
          `${cover.ariaLabel ?? 'toast'} covers ${control.ariaLabel ?? control.textContent}`
        )
    }
  }
  return covered
}

async function scrollToEnd(page: Page): Promise<void> {
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
}

test.group('Buttons and fields', () => {
  for (const width of [390, 1024, 1280, 1920]) {
    test(`are never covered by the chat button or a toast, ${width} px wide`, async () => {
      const customer = await makeCustomer({ name: 'Augusta Ada King, Countess of Lovelace' })
      const instance = await makeInstance(customer)
      const projects = await Promise.all(
        Array.from({ length: 12 }, () => makeProject(instance, { status: 'active' }))
      )
      const page = await openPageAs(customer, { width })
      const covered: string[] = []
      const look = async (where: string) =>
        covered.push(
          ...(await page.evaluate(findCoveredControls)).map((words) => `${where}: ${words}`)
        )
      const paths = [
        '/server-instance/list',
        `/server-instance/${instance.id}?tab=information`,
        '/project/list',
        `/project/${projects[0].id}`,
        '/profile/members',
        '/billing',
      ]
      for (const path of paths) {
        await visit(page, path)
        await page.getByRole('button', { name: 'Live support' }).waitFor()
        await look(path)
        await scrollToEnd(page)
        await look(`${path}, at its end`)
        const copy = page.getByRole('main').getByRole('button', { name: /^Copy/ })
        if (!(await copy.count())) continue
        await copy.first().click()
        await copy.last().click()
        await page.locator('.Toastify__toast').nth(1).waitFor()
        if (width > 1200) await look(`${path}, with toasts`)
        await scrollToEnd(page)
        await look(`${path}, at its end with toasts`)
        await takeScreenshot(page, `uncovered${path.replaceAll(/\W+/g, '-')}-${width}`, false)
      }
      assert.deepEqual(covered, [])
    }).timeout(1_200_000)
  }
})
