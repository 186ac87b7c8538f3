import { serveProcessMetrics } from '#packages/telemetry/metrics'
import { releaseVersion } from '#packages/telemetry/release_version'
import env from '#start/service_env'

/**
 * Serves the metrics of a service that runs beside the console.
 * @param ready whether the service can do its work
 * @returns a function that stops serving them
 */
export async function measureService(
  role: string,
  ready?: () => Promise<boolean>
): Promise<() => Promise<void>> {
  const folder = env.get('METRICS_FOLDER')
  if (!folder) return async () => {}
  return serveProcessMetrics({ role, version: releaseVersion, folder, ready })
}
