/// <reference lib="dom" />
/**
 * Benchmark of how long a developer waits for a page. Runs `./berth dev` in a clone of the repository. Measures the
 * time until a browser shows the first page, at the first start and at later starts. Then measures the time from an
 * edit of a page, or of the server, until the browser shows the change. ROUNDS (3).
 */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { ensureChromium } from '../cli/chromium.js'
import { installRoot } from '../cli/paths.js'
import { runOrThrow } from '../cli/run_program.js'
import { portsOfTheirOwn } from './console.js'
import { median, resultRow, measureMsWithin, type Bench } from './measurement.js'

const rounds = Number(process.env.ROUNDS ?? 3)
const TIMEOUT_MS = 120_000

const edits = {
  page: {
    file: 'inertia/pages/customer/login.tsx',
    line: 'Welcome back.',
    edited: (round: number) => `Good to have you back, ${round}.`,
  },
  server: {
    file: 'app/identity/controllers/login_controller.ts',
    line: `return renderPage(ctx, audience`,
    edited: (round: number) =>
      `ctx.response.header('x-edited', '${round}')\n    return renderPage(ctx, audience`,
  },
}

interface Measured {
  ready: number
  page: number
  editedPage: number
  editedServer: number
}

const bench: Bench = {
  name: 'dev',
  async run({ say }) {
    const executablePath = await ensureChromium()
    // The clone is outside `.berth`, because `./berth dev` does not watch files below that folder.
    const clone = await mkdtemp(join(tmpdir(), 'berth-dev-'))
    await runOrThrow(['git', 'clone', '--quiet', installRoot, clone])
    await runOrThrow(['cp', '-a', '--reflink=auto', join(installRoot, 'node_modules'), clone])
    await rm(join(clone, 'node_modules/.vite'), { recursive: true, force: true })
    const turns: Measured[] = []
    try {
      for (let round = 0; round <= rounds; round++) {
        turns.push(await once(clone, executablePath, round))
        say(`start ${round + 1}: ${JSON.stringify(turns.at(-1))}`)
      }
    } finally {
      await rm(clone, { recursive: true, force: true })
    }
    const [first, ...later] = turns
    const middle = (name: keyof Measured) => median(later.map((turn) => turn[name]))
    const ms = (name: string, ours: number, goal: string) =>
      resultRow({ case: name, unit: 'ms', ours, goal })
    return [
      ms('first start, ready to first page', first.page, ''),
      ms('start to ready', middle('ready'), ''),
      ms('ready to first page', middle('page'), '<= 3000'),
      ms('an edited page', middle('editedPage'), '<= 1000'),
      ms('an edited controller', middle('editedServer'), '<= 1000'),
    ]
  },
}

export default bench

async function once(clone: string, executablePath: string, round: number): Promise<Measured> {
  const { url, env } = await portsOfTheirOwn()
  const began = performance.now()
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('@poppinss/ts-exec'), 'cli/main.ts', 'dev'],
    {
      cwd: clone,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env, BERTH_HOME: join(clone, '.berth') },
    }
  )
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
  try {
    await said(child.stdout!, 'is ready after')
    const ready = performance.now() - began
    const page = await browser.newPage()
    const first = await measureMsWithin(TIMEOUT_MS, () => open(page, url))
    const editedPage = await edit(clone, 'page', round, (words) => page.getByText(words).waitFor())
    const editedServer = await edit(clone, 'server', round, () => tells(`${url}/login`, round))
    return { ready, page: first, editedPage, editedServer }
  } finally {
    await browser.close()
    child.kill('SIGTERM')
    await ended
  }
}

/** Opens the login page, and waits until React has hydrated it. Before that, clicks have no effect. */
async function open(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/login`)
  await page.waitForFunction(() => document.documentElement.dataset.hydrated === 'true')
}

/** Changes a file. Returns the milliseconds until the change is visible. Restores the file afterwards. */
async function edit(
  clone: string,
  which: keyof typeof edits,
  round: number,
  seen: (words: string) => Promise<unknown>
): Promise<number> {
  const { file, line, edited } = edits[which]
  const path = join(clone, file)
  const before = await readFile(path, 'utf8')
  if (!before.includes(line)) throw new Error(`${file} has no "${line}"`)
  // Waits, because file watchers ignore changes immediately after their start.
  await sleep(1_000)
  try {
    return await measureMsWithin(TIMEOUT_MS, async () => {
      await writeFile(path, before.replace(line, edited(round)))
      await seen(edited(round))
    })
  } finally {
    await writeFile(path, before)
  }
}

async function tells(url: string, round: number): Promise<void> {
  for (;;) {
    const response = await fetch(url, { headers: { accept: 'text/html' } }).catch(() => undefined)
    await response?.body?.cancel()
    if (response?.headers.get('x-edited') === String(round)) return
    await sleep(20)
  }
}

function said(stdout: NodeJS.ReadableStream, words: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const lines = createInterface({ input: stdout })
    lines.on('line', (line) => line.includes(words) && resolve())
    lines.once('close', () => reject(new Error(`It ended without "${words}"`)))
  })
}
