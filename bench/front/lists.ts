/// <reference lib="dom" />
/**
 * Measures lists of 500 rows in a browser, those of customers and those of staff: the time to display them, the
 * response to a click, and layout shift.
 */
import { chromium, type Page } from 'playwright-core'
import { withConsoleProcess } from '../billing/with_console_process.js'
import { median, resultRow, type ResultRow } from '../measurement.js'

const LIST_ROWS = 500
const LIST_PAGES = {
  staff: {
    bills: '/admin/billing/list',
    projects: '/admin/project/list',
    'e-mails': '/admin/email/list',
  },
  customer: { bills: '/billing', projects: '/project/list', 'e-mails': '/email/list' },
} as const

interface Person {
  email: string
  password: string
}

/** The layout shift score, and for each click that took at least 16 ms, the milliseconds until the next frame. */
interface Watched {
  shift: number
  clicks: number[]
}

declare global {
  interface Window {
    watched: Watched
  }
}

/** @param rounds number of times that each list is opened and clicked */
export async function listsOf500(
  rounds: number,
  executablePath: string,
  say: (line: string) => void
): Promise<ResultRow[]> {
  return withConsoleProcess('bench-front', async ({ ask, serve }) => {
    await ask('rows', { rows: 2 * LIST_ROWS })
    const [staff] = await ask<Person[]>('staff', { many: 1 })
    const people = { staff, customer: await ask<Person>('owner', { rows: LIST_ROWS }) }
    const { url } = await serve()
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    const rows: ResultRow[] = []
    try {
      for (const area of ['staff', 'customer'] as const) {
        const context = await browser.newContext({
          baseURL: url,
          viewport: { width: 1280, height: 800 },
        })
        const page = await context.newPage()
        await signIn(page, area === 'staff' ? '/admin/login' : '/login', people[area])
        await page.addInitScript(watch)
        for (const [name, path] of Object.entries(LIST_PAGES[area])) {
          const took: number[] = []
          const shifts: number[] = []
          const clicks: number[] = []
          for (let round = 0; round < rounds; round++) {
            const began = performance.now()
            await open(page, `${path}?length=${LIST_ROWS}`)
            took.push(performance.now() - began)
            clicks.push(...(await clickAround(page)))
            shifts.push(await page.evaluate(() => window.watched.shift))
          }
          say(`${name} of ${area}`)
          const list = `${LIST_ROWS} ${name}, ${area}`
          rows.push(
            resultRow({
              case: `${list}: until it can be used`,
              unit: 'ms',
              ours: median(took),
              goal: '',
            }),
            resultRow({
              case: `${list}: a click answered`,
              unit: 'ms',
              ours: median(clicks),
              goal: '<= 100',
            }),
            resultRow({
              case: `${list}: shift`,
              unit: '',
              ours: Math.max(...shifts),
              goal: '<= 0.02',
            })
          )
        }
        await context.close()
      }
    } finally {
      await browser.close()
    }
    return rows
  })
}

async function signIn(page: Page, path: string, { email, password }: Person): Promise<void> {
  await page.goto(path)
  await alive(page)
  await page.getByLabel('Email').fill(email)
  await page.locator('input[type=password]').fill(password)
  await page.getByRole('main').getByRole('button', { name: 'Login', exact: true }).click()
  await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
}

async function alive(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true')
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await alive(page)
  const drawn = await page.locator('tr[data-row]').count()
  if (drawn !== LIST_ROWS) throw new Error(`${path} shows ${drawn} rows`)
}

/**
 * Sorts the list by each of its first three sortable columns. After each click, waits until the list is rendered.
 * Returns the durations of the clicks in milliseconds.
 */
async function clickAround(page: Page): Promise<number[]> {
  const heads = page.locator('th[aria-sort] button')
  for (let index = 0; index < Math.min(3, await heads.count()); index++) {
    await heads.nth(index).click()
    await page.locator(`th[aria-sort="ascending"]`).waitFor()
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))))
  }
  return page.evaluate(() => window.watched.clicks)
}

/** Runs in the browser, on each page, before the page's own scripts. */
function watch(): void {
  const watched: Watched = { shift: 0, clicks: [] }
  window.watched = watched
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = entry as PerformanceEntry & {
        value: number
        hadRecentInput: boolean
      }
      if (!hadRecentInput) watched.shift += value
    }
  }).observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) {
      if (name === 'click') watched.clicks.push(duration)
    }
  }).observe({ type: 'event', buffered: true, durationThreshold: 16 } as PerformanceObserverInit)
}
