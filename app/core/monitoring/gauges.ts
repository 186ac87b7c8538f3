import { allModules } from '#core/modules'
import logger from '@adonisjs/core/services/logger'

export interface GaugeReading {
  value: number
  labels?: Record<string, string>
}

/**
 * A metric for Prometheus. Each request to `/metrics` reads its value. This must stay fast with any number of
 * resources.
 */
export interface Gauge {
  /** Ends with the unit, if any, as Prometheus prescribes: `berth_mail_oldest_waiting_seconds`. */
  name: `berth_${string}`
  help: string
  /** `counter`: the value only grows, and starts at zero after a restart. */
  type?: 'gauge' | 'counter'
  read(): Promise<GaugeReading[]>
}

const GAUGE_TIMEOUT_MS = 5_000

/** If a gauge fails, the others are still included. */
export async function renderGauges(): Promise<string> {
  const gauges = allModules().flatMap((domain) => domain.gauges ?? [])
  const failed: GaugeReading[] = []
  const texts = await Promise.all(
    gauges.map(async (gauge) => {
      try {
        return textOf(gauge, await withTimeout(gauge.read(), GAUGE_TIMEOUT_MS))
      } catch (error) {
        logger.warn({ err: error, gauge: gauge.name }, 'a gauge could not be read')
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

/** @throws if `work` takes longer than `ms` milliseconds; does not stop `work` */
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
