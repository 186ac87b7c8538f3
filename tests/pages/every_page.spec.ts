/// <reference lib="dom" />
import { findAccessibilityViolations } from '#tests/support/accessibility'
import {
  areScreenshotsEnabled,
  waitForHydration,
  showInColorScheme,
  openBrowser,
  takeScreenshot,
  visit,
  signInByRequest,
} from '#tests/support/browser'
import { findLayoutProblems } from '#tests/support/layout_problems'
import { openEachDialog, OVERLAY_SELECTOR } from '#tests/support/open_each_dialog'
import { createLongNamedResources } from '#tests/support/long_named_resources'
import { requestPath, loadMatrixRows, type MatrixPeople } from '#tests/support/access_matrix'
import { makeCustomer, makeStaff, signIn, type Visitor } from '#tests/support/people'
import { test } from '@japa/runner'
import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'

const FIRST_WIDTH = 1280
/** Widths to check. The page already has the first width, and the dark scheme is checked at the last one. */
const VIEWPORT_WIDTHS = [FIRST_WIDTH, 1920, 768, 390]

/** Pages that certainly contain a list. Lists of databases need an instance (see `mysql.spec.ts`). */
const LIST_PATHS = {
  customer: [
    '/server-instance/list',
    '/project/list',
    '/vault/list',
    '/profile/members',
    '/profile?tab=activity',
    '/billing',
  ],
  staff: [
    'host-instance/list',
    'server-instance/list',
    'project/list',
    'customer/list',
    'vault/list',
    'staff/list',
    'server-package/list',
    'audit',
    'system?tab=work',
    'system?tab=alerts',
    'system?tab=schedules',
    'backup',
    'billing/list',
    'autocourier-billing/list',
  ].map((path) => `/admin/${path}`),
}

/** Pages that need no sign-in. The last one does not exist. */
const PUBLIC_PATHS = [
  '/',
  '/login',
  '/login?action=get-started',
  '/login?action=check-mail',
  '/admin/login',
  '/services',
  '/email/verify/none',
  '/no-such-page',
]

interface PageAddress {
  path: string
  /** Path of the page's file below `inertia/pages`, and its tab. Pages of the same kind have the same dialogs. */
  kind: string
  isList: boolean
}

/**
 * Returns all pages of an area with each of their tabs, except sign-in pages. First come those of the resources with
 * long names, then those of the GET routes in the access matrix. New pages are therefore included automatically.
 */
async function pagesOf(
  visitor: Visitor,
  cast: MatrixPeople,
  area: 'customer' | 'staff',
  first: string[]
): Promise<PageAddress[]> {
  const found: PageAddress[] = []
  const look = async (path: string, tab = '') => {
    const { status, headers, text } = await visitor.get(path, { accept: 'text/html' })
    if (status !== 200 || !headers.get('content-type')?.includes('html')) return
    const component = /"component":"([^"]+)"/.exec(text)?.[1]
    if (!component || component.endsWith('/login')) return
    const isList = text.includes('aria-label="Filter by status"') || text.includes('<table')
    found.push({ path, kind: `${component} ${tab}`, isList })
    if (tab) return
    const tabs = text.matchAll(/role="tab" id="[^"]*-(\w+)-tab"[^>]*aria-selected="false"/g)
    for (const [, key] of tabs)
      await look(`${path}${path.includes('?') ? '&' : '?'}tab=${key}`, key)
  }
  for (const path of first) await look(path)
  for (const [route, , , make] of await loadMatrixRows()) {
    const [method, pattern] = route.split(' ')
    const isStaffs = pattern === '/admin' || pattern.startsWith('/admin/')
    if (method !== 'GET' || isStaffs !== (area === 'staff') || pattern.endsWith('changes')) continue
    await look(requestPath(pattern, await make?.(cast)))
  }
  return found
}

/** Returns only the layout problems that persist. Others come from a page that is still rendering or refreshing. */
async function lastingComplaints(page: Page, within: string): Promise<string[]> {
  let found = await page.evaluate(findLayoutProblems, within)
  for (let looks = 0; found.length > 0 && looks < 30; looks++) {
    await setTimeout(300)
    const again = await page.evaluate(findLayoutProblems, within)
    found = again.filter((words) => found.includes(words))
  }
  return found
}

/** Waits until React has hydrated the page, then at most six seconds until its data is loaded. */
async function loaded(page: Page): Promise<void> {
  await waitForHydration(page)
  const isLoading = () => document.querySelector('main [aria-busy="true"]') !== null
  for (let looks = 0; looks < 60 && (await page.evaluate(isLoading)); looks++) await setTimeout(100)
}

/**
 * Sets the page's width. If it already has the width, does nothing, because Chromium would lay the page out and draw
 * it again.
 */
async function showAtWidth(page: Page, width: number): Promise<void> {
  const height = width < 600 ? 844 : 900
  const now = page.viewportSize()!
  if (now.width !== width || now.height !== height) await page.setViewportSize({ width, height })
}

/**
 * Checks the layout of a page at all widths, or of a dialog (`within`) at two, and checks both colour schemes with axe.
 * A page whose kind was checked before (`isSeen`) is checked at two widths, with axe only if screenshots are taken.
 */
async function lookAt(
  page: Page,
  name: string,
  { within = 'main', isSeen = false } = {}
): Promise<string[]> {
  const found: string[] = []
  const isPage = within === 'main'
  const key = name.replace(/\W+/g, '-').slice(0, 120)
  const at = async (width: number, scheme: 'light' | 'dark') => {
    await showAtWidth(page, width)
    await takeScreenshot(page, `every-page${key}-${width}-${scheme}`, isPage)
  }
  const complain = (words: string[], where: string) =>
    found.push(...words.map((one) => `${name} ${where}: ${one}`))

  for (const width of isPage && !isSeen ? VIEWPORT_WIDTHS : [FIRST_WIDTH, 390]) {
    await at(width, 'light')
    complain(await lastingComplaints(page, within), `at ${width}`)
    if (isSeen && !areScreenshotsEnabled) continue
    if (width === FIRST_WIDTH)
      complain(await findAccessibilityViolations(page, isPage ? undefined : within), 'axe, light')
  }
  if (!isSeen || areScreenshotsEnabled) {
    await showInColorScheme(page, 'dark')
    const part = isPage ? undefined : within
    complain(await findAccessibilityViolations(page, part, true), 'axe, dark')
    if (areScreenshotsEnabled) for (const width of VIEWPORT_WIDTHS) await at(width, 'dark')
    await showInColorScheme(page, 'light')
  }
  await showAtWidth(page, FIRST_WIDTH)
  return found
}

test.group('All pages', () => {
  for (const area of ['customer', 'staff'] as const) {
    test(`of the ${area} area and every dialog fit long names at all widths, and axe reports no errors`, async () => {
      const { undo, pages: first, developer, ...people } = await createLongNamedResources()
      const person = people[area]
      const { customer, staff: administrator } = people
      const [other, support] = [await makeCustomer(), await makeStaff('support')]
      const cast = { customer, other, support, administrator, developer, billing: other }
      const pages = await pagesOf(await signIn(person), cast, area, first[area])
      for (const path of LIST_PATHS[area]) {
        assert.ok(pages.find((one) => one.path === path)?.isList, `${path} shows no list`)
      }
      const { page } = await openBrowser()
      const complaints: string[] = []
      const kinds = new Set<string>()
      try {
        await signInByRequest(page, person)
        for (const { path, kind } of pages) {
          await visit(page, path)
          await loaded(page)
          const isSeen = kinds.has(kind)
          complaints.push(...(await lookAt(page, path, { isSeen })))
          if (isSeen) continue
          kinds.add(kind)
          for await (const dialog of openEachDialog(page, path)) {
            complaints.push(
              ...(await lookAt(page, `${path} ${dialog}`, { within: OVERLAY_SELECTOR }))
            )
          }
        }
        assert.equal(complaints.join('\n'), '')
      } finally {
        await undo()
      }
    }).timeout(1_800_000)
  }

  test('of visitors has a correct layout, and axe reports no errors', async () => {
    const { page } = await openBrowser()
    const complaints: string[] = []
    for (const path of PUBLIC_PATHS) {
      await visit(page, path)
      complaints.push(...(await lookAt(page, path)))
    }
    assert.equal(complaints.join('\n'), '')
  })
})
