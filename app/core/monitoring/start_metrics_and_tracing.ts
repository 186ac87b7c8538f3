import { startExporter } from '#core/monitoring/exporter'
import { traceQueries } from '#core/monitoring/trace_queries'
import { checkReadiness } from '#core/readiness'
import { registerGauge, serveProcessMetrics } from '#packages/telemetry/metrics'
import { releaseVersion } from '#packages/telemetry/release_version'
import { isTracing, startTracing } from '#packages/telemetry/tracing'
import env from '#start/env'
import app from '@adonisjs/core/services/app'
import logger from '@adonisjs/core/services/logger'
import db from '@adonisjs/lucid/services/db'

const READINESS_TIMEOUT_MS = 3_000

export async function startMetricsAndTracing(): Promise<(() => Promise<void>)[]> {
  const role = process.env.BERTH_ROLE ?? 'console'
  const folder = env.get('METRICS_FOLDER')
  const endpoint =
    env.get('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? env.get('OTEL_EXPORTER_OTLP_ENDPOINT')
  const stopTracing = await startTracing({
    service: `berth-${role}`,
    version: releaseVersion,
    endpoint,
  })
  if (isTracing()) traceQueries()
  if (!folder) return [stopTracing]
  measurePool()
  const stopReports = await serveProcessMetrics({
    role,
    version: releaseVersion,
    folder,
    ready: isReady,
  })
  const stopExporter = role === 'web' ? await serveMetrics(folder) : undefined
  return [...(stopExporter ? [stopExporter] : []), stopReports, stopTracing]
}

/** Returns undefined without METRICS_PORT or after a failure. The process then serves only pages. */
async function serveMetrics(folder: string): Promise<(() => Promise<void>) | undefined> {
  const port = env.get('METRICS_PORT')
  if (!port) return undefined
  try {
    const [host, token] = [env.get('METRICS_HOST', '127.0.0.1'), env.get('METRICS_TOKEN')]
    const exporter = await startExporter({ host, port, folder, token: token?.release() })
    return () => exporter.stop()
  } catch (error) {
    logger.error({ err: error }, 'metrics are not served')
    return undefined
  }
}

async function isReady(): Promise<boolean> {
  if (!app.isReady) return false
  await db.rawQuery('select 1').timeout(READINESS_TIMEOUT_MS)
  return (await checkReadiness()) === 'ok'
}

function measurePool(): void {
  const pool = () => db.connection().getWriteClient().client.pool as KnexPool
  registerGauge('berth_pool_used', 'Database connections in use', () => pool().numUsed())
  registerGauge('berth_pool_free', 'Open database connections that are free', () =>
    pool().numFree()
  )
  registerGauge('berth_pool_waiting', 'Requests that wait for a database connection', () =>
    pool().numPendingAcquires()
  )
}

interface KnexPool {
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
}
