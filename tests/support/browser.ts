/// <reference lib="dom" />
import type Person from '#identity/models/person'
import { freshIp, testPassword } from '#tests/support/people'
import { launchChromium } from '#tests/support/launch_chromium'
import app from '@adonisjs/core/services/app'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'

/** Generous, because machines differ: a deadline for what should long have happened. */
const TIMEOUT_MS = Number(process.env.BROWSER_DEADLINE ?? 60_000)

let launching: Promise<Browser> | undefined

function browser(): Promise<Browser> {
  launching ??= launchChromium()
  return launching
}

export interface BrowserOptions {
  /** 1280 unless told; 390 is a phone. */
  width?: number
  scheme?: 'light' | 'dark'
}

/** Ends what tests left open: a page that follows changes would keep the server from stopping. */
export async function closeBrowser(): Promise<void> {
  const open = await launching
  launching = undefined
  if (!open) return
  // A page that asks before it is left would keep the browser from closing.
  const closing = Promise.all(open.contexts().map((context) => context.close()))
  await Promise.race([closing.then(() => open.close()), sleep(20_000)])
  const server = await app.container.make('server')
  server.getNodeServer()?.closeAllConnections()
}

/** A browser of its own (cookies, storage), with the base address of the server under test. */
export async function openBrowser({
  width = 1280,
  scheme = 'light',
}: BrowserOptions = {}): Promise<{
  context: BrowserContext
  page: Page
}> {
  const context = await (
    await browser()
  ).newContext({
    baseURL: `http://127.0.0.1:${process.env.PORT}`,
    viewport: { width, height: width < 600 ? 844 : 800 },
    hasTouch: width < 600,
    colorScheme: scheme,
    reducedMotion: 'reduce',
    extraHTTPHeaders: { 'x-forwarded-for': freshIp() },
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  const page = await context.newPage()
  recordPageErrors(page)
  // A notice may lie over what is to be clicked, and stays as long as the mouse is over it.
  await page.addInitScript(() => {
    addEventListener('DOMContentLoaded', () => {
      const style = document.createElement('style')
      style.textContent = '.Toastify__toast { pointer-events: none !important }'
      document.head.append(style)
    })
  })
  return { context, page }
}

/**
 * Opens a browser for a customer's site and resolves its domain to the edge of this machine. It accepts the
 * edge's certificates, whose authority no browser knows.
 */
export async function openCustomerSite(
  domain: string,
  { httpPort, httpsPort }: { httpPort: number; httpsPort: number }
): Promise<{ page: Page; close(): Promise<void> }> {
  const rules = [
    `MAP ${domain}:443 127.0.0.1:${httpsPort}`,
    `MAP ${domain}:80 127.0.0.1:${httpPort}`,
  ]
  const site = await launchChromium([`--host-resolver-rules=${rules.join(',')}`])
  const context = await site.newContext({
    baseURL: `https://${domain}`,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    ignoreHTTPSErrors: true,
  })
  context.setDefaultTimeout(TIMEOUT_MS)
  return { page: await context.newPage(), close: () => site.close() }
}

/** What pages did not get and what broke in them, since they were last sent somewhere. */
const pageErrors = new WeakMap<Page, string[]>()

function recordPageErrors(page: Page): void {
  const note = (what: string) => pageErrors.set(page, [...(pageErrors.get(page) ?? []), what])
  page.on('requestfailed', (request) => note(`${request.url()}: ${request.failure()?.errorText}`))
  page.on('pageerror', (error) => note(String(error.stack)))
}

/** Waits until React has taken over: before that a click does nothing. */
export async function waitForHydration(page: Page): Promise<void> {
  try {
    await page.locator('html[data-hydrated="true"]').waitFor({ state: 'attached' })
  } catch (cause) {
    const why = (pageErrors.get(page) ?? ['nothing is known of it']).join('\n')
    throw new Error(`React has not taken over ${page.url()}: ${why}`, { cause })
  }
}

/** Opens an address and waits until it can be used. */
export async function visit(page: Page, path: string): Promise<void> {
  pageErrors.delete(page)
  await page.goto(path)
  await waitForHydration(page)
}

/** Signs a person made by `people.ts` in through the real page, and ends on the dashboard. */
export async function signInThroughPage(page: Page, person: Person): Promise<void> {
  const staff = person.audience === 'staff'
  await visit(page, staff ? '/admin/login' : '/login')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel(/^Password/).fill(testPassword)
  await page.getByRole('main').getByRole('button', { name: 'Login', exact: true }).click()
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
}

/** The toast with these words, once it is there. */
export async function waitForToast(page: Page, words: string | RegExp): Promise<void> {
  await page.getByRole('alert').filter({ hasText: words }).first().waitFor()
}

/** Pictures are for people, prove nothing and take longer than the journeys: they are taken when asked for. */
export const areScreenshotsEnabled = Boolean(process.env.BERTH_PICTURES)

/** Waits until fonts are loaded and the colour scheme is rendered. Nothing moves, because motion is reduced. */
async function waitForRendering(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
  })
}

/** Shows a page in one of the schemes, and waits until it does. */
export async function showInColorScheme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  await waitForRendering(page)
}

/**
 * Waits until a page is at rest; keeps a picture of it in `$BERTH_HOME/screenshots` where
 * BERTH_PICTURES is set, and always of what went wrong (`…-stopped-here`). Of its window only where told.
 */
export async function takeScreenshot(page: Page, name: string, fullPage = true): Promise<void> {
  await waitForRendering(page)
  if (!areScreenshotsEnabled && !name.endsWith('stopped-here')) return
  const folder = join(process.env.BERTH_HOME ?? '/tmp', 'screenshots')
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage })
}

/** The same page four times: wide and on a phone, light and dark; ends as it was. */
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
