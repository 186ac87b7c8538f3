import { forEachLimit } from '#core/for_each_limit'
import { type HostInstance, listLocalHosts } from '#hosts/public'
import { gatherSamples, type IncusForSamples } from '#metrics/gather_samples'
import { saveSamples, type MetricsSample } from '#metrics/samples'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/**
 * Time after which a host is skipped for this minute. Its charts then have a gap, but other hosts
 * need not wait.
 */
const HOST_TIMEOUT_MS = 20_000

/**
 * Measures up to `places` hosts at once. A host that takes longer than `timeoutMs` is still
 * measured, but the next one can begin.
 */
const SAMPLE_CONCURRENCY = { places: 8, timeoutMs: 1_000 }

export async function measureHosts(
  open: (host: HostInstance) => Promise<IncusForSamples> | IncusForSamples,
  now = DateTime.utc()
): Promise<void> {
  const hosts = await listLocalHosts().whereIn('status', ['active', 'maintenance', 'offline'])
  const samples: MetricsSample[] = []
  await forEachLimit(hosts, SAMPLE_CONCURRENCY, async (host) => {
    try {
      const incus = await open(host)
      samples.push(...(await withTimeout(gatherSamples(host, incus, now))))
    } catch (error) {
      logger.debug({ err: error, host: host.name }, 'host could not be measured')
    }
  })
  await saveSamples(now, samples)
}

async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('No answer in time')), HOST_TIMEOUT_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
