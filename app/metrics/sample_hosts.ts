import { type HostInstance, hostsHere } from '#hosts/public'
import { gatherSamples, type MeasuredIncus } from '#metrics/gather'
import { keepSamples } from '#metrics/samples'
import logger from '@adonisjs/core/services/logger'
import { DateTime } from 'luxon'

/** A host that does not answer in this time leaves a gap; the others must not wait for it. */
const PATIENCE_MS = 20_000

/** Measures all hosts of this machine that may answer, side by side, and keeps what they told. */
export async function sampleHosts(
  open: (host: HostInstance) => Promise<MeasuredIncus> | MeasuredIncus,
  now = DateTime.utc()
): Promise<void> {
  const hosts = await hostsHere().whereIn('status', ['active', 'maintenance', 'offline'])
  const found = await Promise.all(
    hosts.map(async (host) => {
      try {
        const incus = await open(host)
        return await inTime(gatherSamples(host, incus, now))
      } catch (error) {
        logger.debug({ err: error, host: host.name }, 'host could not be measured')
        return []
      }
    })
  )
  await keepSamples(now, found.flat())
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('No answer in time')), PATIENCE_MS)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
