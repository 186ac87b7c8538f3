/// <reference lib="dom" />
/**
 * Measures the console's start and pages:
 * - `./berth up` of an installed console until its first page
 * - memory
 * - JavaScript of first pages
 * - Lighthouse scores
 * - lists of 500 rows, for customers and staff
 *
 * ROUNDS (3) and VISITS (50000) can be lowered. PARTS selects parts (start, memory, scripts, lighthouse,
 * lists), for example PARTS=lists.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type BrowserContext } from 'playwright-core'
import { ensureChromium } from '../cli/chromium.js'
import { runOrThrow } from '../cli/run_program.js'
import { type BenchConsole, startConsole } from './console.js'
import { median, resultRow, type Bench, type ResultRow } from './measurement.js'
import { listsOf500 } from './front/lists.js'
import { measureProcessMemory, sumMemoryMb } from './process_memory.js'

const LIGHTHOUSE_PACKAGE = 'lighthouse@13.5.0'
const rounds = Number(process.env.ROUNDS ?? 3)
const visits = Number(process.env.VISITS ?? 50_000)
const parts = (process.env.PARTS ?? 'start,memory,scripts,lighthouse,lists').split(',')

/** Pages that visitors may open first, for example from a link. `staff`: the page requires a staff account. */
const pages = [
  { name: 'Landing', path: '/', staff: false },
  { name: 'Login', path: '/login', staff: false },
  { name: 'Admin dashboard', path: '/admin', staff: true },
  { name: 'Host instance list', path: '/admin/host-instance/list', staff: true },
]

const bench: Bench = {
  name: 'front',
  async run({ say }) {
    const executablePath = await ensureChromium()
    const has = (part: string) => parts.includes(part)
    const rows: ResultRow[] = []
    if (['start', 'memory', 'scripts', 'lighthouse'].some(has)) {
      let console = await startConsole()
      try {
        if (has('start')) {
          const starts: number[] = []
          for (let round = 0; round < rounds; round++) {
            await console.stop()
            console = await startConsole()
            starts.push(console.startedIn)
            say(`start ${round + 1}: ${Math.round(console.startedIn)} ms`)
          }
          const ours = median(starts)
          rows.push(resultRow({ case: 'Start to first page', unit: 'ms', ours, goal: '<= 1500' }))
        }
        if (has('memory')) rows.push(...(await memory(console, executablePath, say)))
        if (has('scripts')) rows.push(...(await scripts(console, executablePath)))
        if (has('lighthouse')) rows.push(...(await lighthouse(console, executablePath, say)))
      } finally {
        await console.stop()
      }
    }
    if (has('lists')) rows.push(...(await listsOf500(rounds, executablePath, say)))
    return rows
  },
}

export default bench

/** Measures the memory of all processes: a minute after the start, and again after many visits of these pages. */
async function memory(
  console: BenchConsole,
  executablePath: string,
  say: (line: string) => void
): Promise<ResultRow[]> {
  await new Promise((resolve) => setTimeout(resolve, 60_000))
  const atRest = await measureProcessMemory(console.pid)
  for (const { command, mb } of atRest)
    say(`${mb.toFixed(1)} MB: ${command.slice(-2).join(' ').slice(-60)}`)
  const cookie = await staffCookies(console, executablePath)
  let left = visits
  const visit = async () => {
    while (left-- > 0) {
      const { path, staff } = pages[left % pages.length]
      const headers = { accept: 'text/html', ...(staff && { cookie }) }
      const response = await fetch(console.url + path, { headers })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${path}: ${response.status}`)
      if (left % 10_000 === 0) say(`${left} visits left`)
    }
  }
  await Promise.all(Array.from({ length: 4 }, visit))
  const after = await measureProcessMemory(console.pid)
  const web = after.filter(({ command }) => command.at(-1) === 'web')
  return [
    resultRow({
      case: 'Memory at rest, all processes',
      unit: 'MB',
      ours: sumMemoryMb(atRest),
      goal: '<= 450',
    }),
    resultRow({
      case: `The same, ${visits} visits later`,
      unit: 'MB',
      ours: sumMemoryMb(after),
      goal: '<= 650',
    }),
    resultRow({ case: '- of them web', unit: 'MB', ours: sumMemoryMb(web), goal: '<= 300' }),
  ]
}

async function signIn(context: BrowserContext, { url, admin }: BenchConsole): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${url}/admin/login`)
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true')
  await page.getByLabel('Email').fill(admin.email)
  await page.locator('input[type=password]').fill(admin.password)
  await page.getByRole('main').getByRole('button', { name: 'Login', exact: true }).click()
  await page.waitForURL(`${url}/admin`)
  await page.close()
}

/** Measures how much JavaScript, compressed, a browser with an empty cache loads until the page is idle. */
async function scripts(console: BenchConsole, executablePath: string): Promise<ResultRow[]> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  const rows: ResultRow[] = []
  try {
    for (const { name, path, staff } of pages) {
      const context = await browser.newContext()
      if (staff) await signIn(context, console)
      const page = await context.newPage()
      const client = await context.newCDPSession(page)
      await client.send('Network.enable')
      await client.send('Network.setCacheDisabled', { cacheDisabled: true })
      const ofScripts = new Set<string>()
      let bytes = 0
      client.on('Network.responseReceived', ({ requestId, type }) => {
        if (type === 'Script') ofScripts.add(requestId)
      })
      client.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
        if (ofScripts.has(requestId)) bytes += encodedDataLength
      })
      await page.goto(console.url + path, { waitUntil: 'networkidle' })
      rows.push(
        resultRow({ case: `JavaScript: ${name}`, unit: 'KB', ours: bytes / 1000, goal: '<= 150' })
      )
      await context.close()
    }
  } finally {
    await browser.close()
  }
  return rows
}

interface Report {
  categories: Record<string, { title: string; score: number }>
}

async function lighthouse(
  console: BenchConsole,
  executablePath: string,
  say: (line: string) => void
): Promise<ResultRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-lighthouse-'))
  const cookies = await staffCookies(console, executablePath)
  const rows: ResultRow[] = []
  try {
    say('Installing Lighthouse')
    await runOrThrow([
      'npm',
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      LIGHTHOUSE_PACKAGE,
    ])
    for (const { name, path, staff } of pages) {
      const scores = new Map<string, number[]>()
      for (let round = 0; round < rounds; round++) {
        const file = join(folder, 'report.json')
        await runOrThrow(
          [
            process.execPath,
            join(folder, 'node_modules/lighthouse/cli/index.js'),
            console.url + path,
            '--preset=desktop',
            '--output=json',
            `--output-path=${file}`,
            '--quiet',
            '--chrome-flags=--headless=new --no-sandbox',
            ...(staff ? [`--extra-headers=${JSON.stringify({ Cookie: cookies })}`] : []),
          ],
          { env: { ...process.env, CHROME_PATH: executablePath } }
        )
        const { categories } = JSON.parse(await readFile(file, 'utf8')) as Report
        for (const { title, score } of Object.values(categories)) {
          scores.set(title, [...(scores.get(title) ?? []), score * 100])
        }
      }
      for (const [title, numbers] of scores) {
        // Skips the SEO score of pages that require a sign-in, because search engines never see them.
        if (staff && title === 'SEO') continue
        rows.push(
          resultRow({
            case: `Lighthouse: ${name}, ${title}`,
            unit: '%',
            ours: median(numbers),
            goal: '>= 99',
          })
        )
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return rows
}

async function staffCookies(console: BenchConsole, executablePath: string): Promise<string> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    const context = await browser.newContext()
    await signIn(context, console)
    const cookies = await context.cookies()
    return cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  } finally {
    await browser.close()
  }
}
