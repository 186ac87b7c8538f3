/**
 * Benchmark of the lists of bills, projects and emails for staff, as Inertia visits of a signed-in person: first,
 * middle and last page, filtered, sorted and searched. ROWS (1000,1000000) are the sizes of the lists, each in a
 * separate database. Pages of both sizes are visited in alternation and compared. Under load, the first page of bills
 * is compared with a bare `node:http` server that runs the same SQL. VISITS (60) of each page, SECONDS (10) of load.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { typescriptLoaderArgs, installRoot } from '../cli/paths.js'
import { withConsoleProcess, type ConsoleProcess } from './billing/with_console_process.js'
import { Caller } from './console.js'
import {
  type Bench,
  interleave,
  median,
  percentile,
  resultRow,
  type ResultRow,
  measureMs,
} from './measurement.js'

const sizes = (process.env.ROWS ?? '1000,1000000').split(',').map(Number)
const visits = Number(process.env.VISITS ?? 60)
const seconds = Number(process.env.SECONDS ?? 10)
const ROWS_PER_PAGE = 50
const LIST_PAGES = {
  bills: '/admin/billing/list',
  projects: '/admin/project/list',
  'e-mails': '/admin/email/list',
}
const names = Object.keys(LIST_PAGES) as (keyof typeof LIST_PAGES)[]

interface Filled extends ConsoleProcess {
  rows: number
  visit(path: string): Promise<void>
}

/**
 * Updates the statistics of the query planner, as autovacuum would do after some time. Only the owner of the tables may
 * do that.
 */
async function tidied(url: string): Promise<void> {
  const owner = new pg.Client({ connectionString: url })
  await owner.connect()
  await owner.query('vacuum analyze')
  await owner.end()
}

async function filled<Result>(rows: number, work: (filled: Filled) => Promise<Result>) {
  return withConsoleProcess(`bench-pages-${rows}`, async (console) => {
    await console.ask('rows', { rows })
    await tidied(console.ownerUrl)
    const { url } = await console.serve()
    const [person] = await console.ask<object[]>('staff', { many: 1 })
    const caller = new Caller(url)
    await caller.open('/admin/login')
    await caller.call('POST', '/admin/login', person)
    const first = await fetch(`${url}/admin`, {
      headers: { 'x-inertia': 'true', cookie: caller.cookie },
      redirect: 'manual',
    })
    const version = first.headers.get('x-inertia-version') ?? ''
    const headers = { 'x-inertia': 'true', 'x-inertia-version': version, cookie: caller.cookie }
    const visit = async (path: string) => {
      const answer = await fetch(url + path, { headers })
      const text = await answer.text()
      if (answer.status !== 200 || !text.includes('"component"')) {
        throw new Error(`${path}: ${answer.status}`)
      }
    }
    return work({ ...console, rows, visit })
  })
}

const statuses = { bills: 'pending', projects: 'inactive', 'e-mails': 'pending' }

const pagesOf = (rows: number, list: keyof typeof LIST_PAGES): Record<string, string> => {
  const last = Math.ceil(rows / ROWS_PER_PAGE)
  return {
    first: '',
    middle: `?page=${Math.ceil(last / 2)}`,
    last: `?page=${last}`,
    filtered: `?status=${statuses[list]}`,
    sorted: `?sort=-status&page=${Math.ceil(last / 2)}`,
  }
}

const searches = {
  bills: '?search=T000000500',
  projects: '?search=project-500',
  'e-mails': '?search=sender-500',
}

async function rate(visit: () => Promise<unknown>): Promise<number> {
  let count = 0
  const end = performance.now() + (seconds / 2) * 1_000
  const one = async () => {
    while (performance.now() < end) {
      await visit()
      count += 1
    }
  }
  await Promise.all(Array.from({ length: 4 }, one))
  return count / (seconds / 2)
}

async function againstBare({ ask, databaseUrl, visit }: Filled): Promise<ResultRow> {
  const { statements } = await ask<{ statements: object[] }>('asks', { query: {} })
  const child = fork(join(installRoot, 'bench/pages/bare.ts'), { execArgv: typescriptLoaderArgs })
  try {
    child.send({ url: databaseUrl, statements })
    const [port] = (await once(child, 'message')) as [number]
    const get = () => fetch(`http://127.0.0.1:${port}`).then((answer) => answer.text())
    const rates = await interleave(3, {
      ours: () => rate(() => visit(LIST_PAGES.bills)),
      bare: () => rate(get),
    })
    return resultRow({
      case: 'bills, first, 4 at once',
      unit: 'visits/s',
      goal: '>= 0.7x',
      ours: median(rates.ours),
      against: median(rates.bare),
      reference: 'the same SQL and JSON, bare',
    })
  } finally {
    child.kill()
  }
}

/**
 * Starts 50 visits a second, without waiting for earlier ones. Returns the 99th percentile of their durations in
 * milliseconds.
 */
async function steady({ rows, visit }: Filled): Promise<number> {
  const paths = names.flatMap((name) =>
    Object.values(pagesOf(rows, name)).map((query) => LIST_PAGES[name] + query)
  )
  const took: Promise<number>[] = []
  const began = performance.now()
  for (let count = 0; count < seconds * 50; count++) {
    await sleep(Math.max(0, began + count * 20 - performance.now()))
    took.push(measureMs(() => visit(paths[count % paths.length])))
  }
  return percentile(await Promise.all(took), 99)
}

const bench: Bench = {
  name: 'pages',
  run: ({ say }) =>
    filled(sizes[0], (small) =>
      filled(sizes[1], async (large) => {
        say(`${sizes.join(' and ')} rows are there`)
        const rows: ResultRow[] = []
        for (const name of names) {
          const list = LIST_PAGES[name]
          const kinds = { ...pagesOf(large.rows, name), searched: searches[name] }
          for (const [kind, query] of Object.entries(kinds)) {
            const its = kind === 'searched' ? query : pagesOf(small.rows, name)[kind]
            const took = await interleave(visits, {
              small: () => measureMs(() => small.visit(list + its)),
              large: () => measureMs(() => large.visit(list + query)),
            })
            rows.push(
              resultRow({
                case: `${name}, ${kind}`,
                unit: 'ms',
                ours: median(took.large),
                against: median(took.small),
                reference: `${small.rows} rows`,
                goal: kind === 'searched' || kind === 'sorted' ? '' : '<= 1.2x',
              })
            )
          }
          say(name)
        }
        const search = { query: { search: 'T000000500' } }
        const { took } = await large.ask<{ took: number }>('asks', search)
        rows.push(
          resultRow({
            case: 'bills, searched, in the database',
            unit: 'ms',
            ours: took,
            goal: '<= 5',
          })
        )
        rows.push(await againstBare(large))
        rows.push(
          resultRow({
            case: 'all pages at 50 visits/s, p99',
            unit: 'ms',
            goal: '< 75',
            ours: await steady(large),
            against: await steady(small),
            reference: `${small.rows} rows`,
          })
        )
        return rows
      })
    ),
}

export default bench
