import { allModules } from '#core/modules'
import logger from '@adonisjs/core/services/logger'

/** A number of one thing, or of each kind of it. */
export interface GaugeReading {
  value: number
  labels?: Record<string, string>
}

/**
 * What a domain measures of its things, for Prometheus: read by web whenever somebody asks, so it
 * must cost little however many things there are.
 */
export interface Gauge {
  /** With its unit, as Prometheus wants it: `berth_mail_oldest_waiting_seconds`. */
  name: `berth_${string}`
  help: string
  /** `counter` for what only grows until it begins anew. */
  type?: 'gauge' | 'counter'
  read(): Promise<GaugeReading[]>
}

/** Milliseconds that one may take. */
const GAUGE_TIMEOUT_MS = 5_000

/** What all domains measure, in Prometheus' format; one that fails is told as such and spoils nothing. */
export async function renderGauges(): Promise<string> {
  const gauges = allModules().flatMap((domain) => domain.gauges ?? [])
  const failed: GaugeReading[] = []
  const texts = await Promise.all(
    gauges.map(async (gauge) => {
      try {
        return textOf(gauge, await withTimeout(gauge.read(), GAUGE_TIMEOUT_MS))
      } catch (error) {
        logger.warn({ err: error, gauge: gauge.name }, 'gauge cannot be read')
        failed.push({ value: 1, labels: { gauge: gauge.name } })
        return ''
      }
    })
  )
  const help = 'Gauges that could not be measured'
  return texts.join('') + textOf({ name: 'berth_gauge_failed', help }, failed)
}

function textOf(
  { name, help, type = 'gauge' }: Omit<Gauge, 'read'>,
  readings: GaugeReading[]
): string {
  const lines = readings.map(({ value, labels = {} }) => {
    const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`)
    return `${name}${pairs.length ? `{${pairs.join(',')}}` : ''} ${value}\n`
  })
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** The result, or an error once it took longer than this many milliseconds. */
export async function withTimeout<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${ms / 1_000} s`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
