/// <reference lib="dom" />
import type Person from '#identity/models/person'
import { freshIp, signIn, testPassword } from '#tests/support/people'
import { launchChromium } from '#tests/support/launch_chromium'
import app from '@adonisjs/core/services/app'
import { getActiveTest } from '@japa/runner'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'

/** Maximum time for an action. Long, because machines differ in speed, and only a failing test waits this long. */
const TIMEOUT_MS = Number(process.env.BROWSER_DEADLINE ?? 120_000)

/** Started browsers. The key says whether the browser shows PDFs. */
const launching = new Map<boolean, Promise<Browser>>()

function browser(showsPdfs: boolean): Promise<Browser> {
  const started = launching.get(showsPdfs) ?? launchChromium({ showsPdfs })
  launching.set(showsPdfs, started)
  return started
}

export interface BrowserOptions {
  /** Width in pixels. Default 1280. A phone has 390. */
  width?: number
  scheme?: 'light' | 'dark'
  /** Whether the browser shows PDFs. Default: no, which needs less CPU time. */
  showsPdfs?: boolean
}

/** Closes the browsers. A page with an open event stream would keep the server from stopping. */
export async function closeBrowser(): Promise<void> {
  const browsers = await Promise.all(launching.values())
  launching.clear()
  if (browsers.length === 0) return
  const close = async (open: Browser) => {
    // Closes the contexts first, because a page with a `beforeunload` prompt would keep the browser from closing.
    await Promise.all(open.contexts().map((context) => context.close()))
    await open.close()
  }
  await Promise.race([Promise.all(browsers.map(close)), sleep(20_000)])
  const server = await app.container.make('server')
  server.getNodeServer()?.closeAllConnections()
}

/**
 * Opens a browser context with its own cookies and storage. Its base URL is the server under test.
 * A context that a test opens is closed at the end of the test.
 */
export async function openBrowser({
  width = 1280,
  scheme = 'light',
  showsPdfs = false,
}: BrowserOptions = {}): Promise<{
  context: BrowserContext
  page: Page
}> {
  const context = await (
    await browser(showsPdfs)
  ).newContext({
    baseURL: `http://127.0.0.1:${process.env.PORT}`,
    viewport: { width, height: width < 600 ? 844 : 800 },
    hasTouch: width < 600,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': freshIp() },
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  getActiveTest()?.cleanup(async (hasFailed, { title }) => {
    if (hasFailed) await takeFailureScreenshots(context, title)
    await context.close()
  })
  const page = await context.newPage()
  recordPageErrors(page)
  // A toast could cover the element that a test clicks, and it stays while the mouse is over it. With this style,
  // clicks pass through toasts.
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      const style = document.createElement('style')
      style.textContent = '.Toastify__toast { pointer-events: none !important }'
      document.head.append(style)
    })
  })
  return { context, page }
}

/** Searches in a list and waits for the result. Without the wait, a click could miss a row that moves. */
export async function searchList(page: Page, text: string): Promise<void> {
  await page.getByLabel(/^Search by/).fill(text)
  await page.waitForURL((url) => url.searchParams.get('search') === text)
}

/**
 * Opens a browser in which a person created by `people.ts` is signed in. Loads no page, because most tests then visit
 * one.
 */
export async function openPageAs(person: Person, options?: BrowserOptions): Promise<Page> {
  const { page } = await openBrowser(options)
  await signInByRequest(page, person)
  return page
}

/** Opens a browser in which a person created by `people.ts` has signed in and sees the dashboard. */
export async function openDashboardAs(person: Person, options?: BrowserOptions): Promise<Page> {
  const { page } = await openBrowser(options)
  await signInThroughPage(page, person)
  return page
}

/**
 * Signs in without the sign-in page, which takes longer.
 * @param person from `people.ts`
 * @throws if the sign-in fails
 */
export async function signInByRequest(page: Page, person: Person): Promise<void> {
  const context = page.context()
  const visitor = await signIn(person)
  const cookies = [...visitor.cookies].map(([key, value]) => {
    const [name, path = ''] = key.split('/')
    return { name, value, domain: '127.0.0.1', path: `/${path}`, sameSite: 'Lax' as const }
  })
  await context.addCookies(cookies)
}

/**
 * Opens a browser for customers' sites. It resolves the domain to this machine's edge, and accepts the edge's
 * certificates, whose authority is not trusted.
 */
export async function openCustomerSite(
  domain: string,
  { httpPort, httpsPort }: { httpPort: number; httpsPort: number }
): Promise<{ page: Page; close(): Promise<void> }> {
  const rules = [
    `MAP ${domain}:443 127.0.0.1:${httpsPort}`,
    `MAP ${domain}:80 127.0.0.1:${httpPort}`,
  ]
  const site = await launchChromium({ args: [`--host-resolver-rules=${rules.join(',')}`] })
  const context = await site.newContext({
    baseURL: `https://${domain}`,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  return { page: await context.newPage(), close: () => site.close() }
}

/** Failed requests and script errors since the page's last `visit`. */
const pageErrors = new WeakMap<Page, string[]>()

const pendingRequests = new WeakMap<Page, Set<string>>()

function recordPageErrors(page: Page): void {
  const note = (what: string) => pageErrors.set(page, [...(pageErrors.get(page) ?? []), what])
  page.on('requestfailed', (request) => note(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('pageerror', (error) => note(String(error.stack)))
  const pending = new Set<string>()
  pendingRequests.set(page, pending)
  page.on('request', (request) => pending.add(request.url()))
  page.on('response', (response) => pending.delete(response.url()))
  page.on('requestfailed', (request) => pending.delete(request.url()))
}

/**
 * Returns one line for each open page: its URL, main headings and dialogs, requests without a response, and errors.
 * Returns an empty string if no page is open.
 */
export async function describeOpenPages(): Promise<string> {
  const browsers = await Promise.allSettled(launching.values())
  const contexts = browsers.flatMap((one) =>
    one.status === 'fulfilled' ? one.value.contexts() : []
  )
  const pages = contexts.flatMap((context) => context.pages())
  const lines = await Promise.all(pages.map(describePage))
  return lines.map((line) => `\n${line}`).join('')
}

async function describePage(page: Page): Promise<string> {
  const read = page.locator('h1, [role="dialog"] h2').allInnerTexts()
  const titles = await Promise.race([read.catch(() => []), sleep(2_000, ['no response'])])
  const parts = [
    titles.join(' | '),
    ...[...(pendingRequests.get(page) ?? [])].map((url) => `no response: ${url}`),
    ...(pageErrors.get(page) ?? []),
  ]
  return `Open page ${page.url()}: ${parts.join('; ')}`
}

/** Waits until React has hydrated the page. Before that, clicks do nothing. */
export async function waitForHydration(page: Page): Promise<void> {
  try {
    await page.locator('html[data-hydrated="true"]').waitFor({ state: 'attached' })
  } catch (cause) {
    const why = (pageErrors.get(page) ?? ['nothing is known of it']).join('\n')
    throw new Error(`React has not taken over ${page.url()}: ${why}`, { cause })
  }
}

export async function visit(page: Page, path: string): Promise<void> {
  pageErrors.delete(page)
  await page.goto(path)
  await waitForHydration(page)
}

/** Signs in and waits for the dashboard. @param person from `people.ts` */
export async function signInThroughPage(page: Page, person: Person): Promise<void> {
  const staff = person.audience === 'staff'
  await visit(page, staff ? '/admin/login' : '/login')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel(/^Password/).fill(testPassword)
  await page.getByRole('main').getByRole('button', { name: 'Login', exact: true }).click()
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
}

export async function waitForToast(page: Page, words: string | RegExp): Promise<void> {
  await page.getByRole('alert').filter({ hasText: words }).first().waitFor()
}

/** Whether passing tests take screenshots. Default: no, because screenshots prove nothing and take time. */
export const areScreenshotsEnabled = Boolean(process.env.BERTH_PICTURES)

/** Waits until fonts are loaded and the colour scheme is drawn. Animations are off in tests. */
async function waitForRendering(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  })
}

export async function showInColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await waitForRendering(page)
}

/**
 * Waits for fonts and the colour scheme. Then takes a screenshot if screenshots are enabled, or if the name ends with
 * `stopped-here`, as those of failed tests do.
 */
export async function takeScreenshot(page: Page, name: string, fullPage = true): Promise<void> {
  await waitForRendering(page)
  if (!areScreenshotsEnabled && !name.endsWith('stopped-here')) return
  const folder = join(process.env.BERTH_HOME ?? '/tmp', 'screenshots')
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage })
}

/** Saves screenshots of the pages of a failed test. Omits pages that do not respond. */
async function takeFailureScreenshots(context: BrowserContext, title: string): Promise<void> {
  const name = title.replace(/\W+/g, '-').slice(0, 60)
  const screenshots = context.pages().map(async (page, index) => {
    const path = new URL(page.url()).pathname.replace(/\W+/g, '-')
    await takeScreenshot(page, `${name}${path}-${index}-stopped-here`)
  })
  await Promise.race([Promise.allSettled(screenshots), sleep(10_000)])
}

/**
 * If screenshots are enabled, takes them in desktop and phone width, light and dark. Then leaves the page light and in
 * its previous width.
 */
export async function takeScreenshots(page: Page, name: string, fullPage = true): Promise<void> {
  if (!areScreenshotsEnabled) return takeScreenshot(page, name, fullPage)
  const before = page.viewportSize()!
  for (const [width, height] of [
    [1280, 800],
    [390, 844],
  ]) {
    await page.setViewportSize({ width, height })
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await takeScreenshot(page, `${name}-${width}-${colorScheme}`, fullPage)
    }
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize(before)
}
