import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { chmod, mkdir, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { EventLoopLagMeter } from './event_loop_lag.js'

/** Upper bounds of the histogram's buckets in seconds. One more bucket counts longer responses. */
export const HISTOGRAM_BUCKETS_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
] as const

export const metricsRegistry = new Registry()

const requests = new Histogram({
  name: 'berth_http_request_duration_seconds',
  help: 'Duration of requests, by method, route and status',
  labelNames: ['method', 'route', 'status'],
  buckets: [...HISTOGRAM_BUCKETS_SECONDS],
  registers: [metricsRegistry],
})

/** Responses since the process started, counted by duration, and responses with a 5xx status. */
const total = {
  classes: new Array<number>(HISTOGRAM_BUCKETS_SECONDS.length + 1).fill(0),
  faults: 0,
}

/** @param route the route's pattern, not a URL: the process keeps each distinct value in memory forever */
export function countRequest(method: string, route: string, status: number, seconds: number): void {
  requests.observe({ method, route, status }, seconds)
  const at = HISTOGRAM_BUCKETS_SECONDS.findIndex((end) => seconds <= end)
  total.classes[at < 0 ? HISTOGRAM_BUCKETS_SECONDS.length : at]!++
  if (status >= 500) total.faults++
}

export interface OpenRequest {
  method: string
  /** Path without its query, because a query may contain secrets. */
  path: string
  startedAt: string
}

const MAX_REPORTED_REQUESTS = 10
const openRequests = new Set<OpenRequest>()

/** @returns a function to call when the request ends */
export function trackOpenRequest(method: string, url: string): () => void {
  const one = { method, path: url.split('?')[0]!, startedAt: new Date().toISOString() }
  openRequests.add(one)
  return () => openRequests.delete(one)
}

/** A process's response to `GET /report` on its Unix socket. Memory is in bytes, lag in seconds. */
export interface ProcessReport {
  role: string
  pid: number
  version: string
  startedAt: string
  ready: boolean
  memory: number
  heap: number
  /** 99th percentile of the event loop delay in the last 15 s. */
  lag: number
  /**
   * Responses since the process started, by bucket (`HISTOGRAM_BUCKETS_SECONDS`), and responses with a 5xx status.
   */
  classes: number[]
  faults: number
  /** Oldest requests without a response. A process of the previous release does not report them. */
  openRequests?: OpenRequest[]
}

export interface MeasuredProcess {
  role: string
  version: string
  /** Folder in which `<role>/<pid>.sock` is created. */
  folder: string
  /** Default: always ready. */
  ready?: () => Promise<boolean>
}

export function createCounter<Label extends string>(
  name: string,
  help: string,
  labelNames: Label[]
): (labels: Record<Label, string>) => void {
  const metric = new Counter({ name, help, labelNames, registers: [metricsRegistry] })
  return (labels) => metric.inc(labels)
}

/** `read` runs at each scrape. A second gauge with the same name replaces the first. */
export function registerGauge(name: string, help: string, read: () => number): void {
  metricsRegistry.removeSingleMetric(name)
  new Gauge({ name, help, registers: [metricsRegistry], collect: measured })
  function measured(this: Gauge) {
    this.set(read())
  }
}

/**
 * Serves `/metrics` for Prometheus and `/report` for the console on a Unix socket. Programs can connect if the
 * permissions of the folder and of the socket (0660) allow it.
 * @returns a function that stops the server
 */
export async function serveProcessMetrics(process_: MeasuredProcess): Promise<() => Promise<void>> {
  const { role, version, ready = async () => true } = process_
  metricsRegistry.setDefaultLabels({ role, pid: String(process.pid) })
  info ??= describeProcess()
  info.set({ version }, 1)
  lagMeter ??= new EventLoopLagMeter()
  const meter = lagMeter

  const startedAt = new Date(Date.now() - process.uptime() * 1_000).toISOString()
  const report = async (): Promise<ProcessReport> => {
    const lag = meter.seconds()
    const isReady = await ready().catch(() => false)
    const { rss, heapUsed } = process.memoryUsage()
    const { classes, faults } = total
    return {
      role,
      version,
      startedAt,
      lag,
      classes,
      faults,
      pid: process.pid,
      ready: isReady,
      memory: rss,
      heap: heapUsed,
      openRequests: [...openRequests].slice(0, MAX_REPORTED_REQUESTS),
    }
  }
  const server = createServer((request, response) => {
    const text = request.url === '/metrics' ? metricsRegistry.metrics() : undefined
    const body = text ?? (request.url === '/report' ? report().then(JSON.stringify) : undefined)
    void answer(response, body)
  })
  const folder = join(process_.folder, role)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeDead(folder)
  const path = join(folder, `${process.pid}.sock`)
  server.listen(path)
  await once(server, 'listening')
  await chmod(path, 0o660)
  server.unref()
  return async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
}

let info: Gauge<'version'> | undefined
let lagMeter: EventLoopLagMeter | undefined

function describeProcess(): Gauge<'version'> {
  // At the default precision, the monitor would wake the CPU more often.
  collectDefaultMetrics({ register: metricsRegistry, eventLoopMonitoringPrecision: 50 })
  return new Gauge({
    name: 'berth_process_info',
    help: 'Version of Berth that a process runs',
    labelNames: ['version'],
    registers: [metricsRegistry],
  })
}

async function answer(response: ServerResponse, text?: Promise<string>): Promise<void> {
  try {
    response.writeHead(text ? 200 : 404)
    response.end((await text) ?? '')
  } catch (error) {
    response.destroy(error as Error)
  }
}

async function removeDead(folder: string): Promise<void> {
  for (const { name, pid } of await socketsIn(folder)) {
    if (pid === process.pid || !isAlive(pid)) await unlink(join(folder, name)).catch(() => {})
  }
}

async function socketsIn(folder: string): Promise<{ name: string; pid: number }[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .filter((name) => /^\d+\.sock$/.test(name))
    .map((name) => ({ name, pid: Number.parseInt(name, 10) }))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const RESPONSE_TIMEOUT_MS = 3_000

/** Requests a path from all processes on this host. Processes that do not respond are missing in the result. */
async function askAll(folder: string, path: string): Promise<string[]> {
  const roles = await readdir(folder).catch(() => [])
  const sockets: string[] = []
  for (const role of roles.sort()) {
    for (const { name } of await socketsIn(join(folder, role)))
      sockets.push(join(folder, role, name))
  }
  const answers = await Promise.all(sockets.map((socketPath) => ask(socketPath, path)))
  return answers.filter((text) => text !== null)
}

function ask(socketPath: string, path: string): Promise<string | null> {
  return new Promise((done) => {
    const request = get(
      { socketPath, path, agent: false, timeout: RESPONSE_TIMEOUT_MS },
      (response) => {
        void textOf(response).then(done, () => done(null))
      }
    )
    request.on('timeout', () => request.destroy(new Error('The measurement takes too long')))
    request.on('error', () => done(null))
  })
}

async function textOf(response: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk)
  return response.statusCode === 200 ? Buffer.concat(chunks).toString() : null
}

export async function fetchProcessReports(folder: string): Promise<ProcessReport[]> {
  const answers = await askAll(folder, '/report')
  return answers.map((text) => JSON.parse(text) as ProcessReport)
}

/** `mergePrometheusTexts` joins the texts of the processes. */
export function fetchProcessMetrics(folder: string): Promise<string[]> {
  return askAll(folder, '/metrics')
}

/** Each metric is described once, followed by all its samples. */
export function mergePrometheusTexts(texts: string[]): string {
  const families = new Map<string, { head: string[]; samples: string[] }>()
  for (const text of texts) {
    let family: { head: string[]; samples: string[] } | undefined
    for (const line of text.split('\n')) {
      const [, name] = /^# (?:HELP|TYPE) (\S+)/.exec(line) ?? []
      if (name) {
        const known = families.get(name)
        family = known ?? { head: [], samples: [] }
        if (!known) families.set(name, family)
        if (family.head.length < 2 && !family.head.includes(line)) family.head.push(line)
      } else if (line) family?.samples.push(line)
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => [...head, ...samples].join('\n') + '\n')
    .join('\n')
}

/** Returns the quantile `share` (0 to 1), interpolated within its bucket. Returns `null` without responses. */
export function histogramQuantileSeconds(share: number, classes: number[]): number | null {
  const count = classes.reduce((sum, one) => sum + one, 0)
  if (count === 0) return null
  let left = share * count
  for (const [at, inClass] of classes.entries()) {
    if (left > inClass) {
      left -= inClass
      continue
    }
    const from = at === 0 ? 0 : HISTOGRAM_BUCKETS_SECONDS[at - 1]!
    // The last bucket has no upper bound, so the result is its lower bound.
    const to = HISTOGRAM_BUCKETS_SECONDS[at] ?? from
    return from + (to - from) * (left / inClass)
  }
  return HISTOGRAM_BUCKETS_SECONDS.at(-1)!
}
