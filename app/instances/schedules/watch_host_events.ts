import { defineSchedule } from '#core/schedules/schedules'
import { type HostInstance, listLocalHosts } from '#hosts/public'
import { incusClientFor } from '#hosts/public_effects'
import ServerInstance from '#instances/models/server_instance'
import { reconcileInstance } from '#instances/schedules/reconcile_instances'
import type { EventStream } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import { addAbortListener } from 'node:events'

const POWER_EVENTS = new Set(['instance-started', 'instance-stopped', 'instance-shutdown'])
/** Delay after an event, because a restarting instance is stopped only for a moment. */
const SETTLE_MS = 3_000

const eventStreams = new Map<number, EventStream>()
const scheduledChecks = new Map<string, NodeJS.Timeout>()

/**
 * Checks instances when Incus reports that they started or stopped, until `signal` aborts. A call watches the hosts
 * that are `active` now, so call it repeatedly to include new or recovered hosts.
 */
export async function watchHostEvents(signal: AbortSignal): Promise<void> {
  const hosts = await listLocalHosts().where('status', 'active')
  const ids = new Set(hosts.map(({ id }) => id))
  for (const [id, stream] of eventStreams) if (!ids.has(id)) stream.close()
  const silent = hosts.filter(({ id }) => !eventStreams.has(id))
  await Promise.all(silent.map((host) => followHost(host, signal)))
}

async function followHost(host: HostInstance, signal: AbortSignal): Promise<void> {
  try {
    const stream = await incusClientFor(host).events(['lifecycle'])
    const close = () => stream.close()
    const watching = addAbortListener(signal, close)
    eventStreams.set(host.id, stream)
    void listen(host, stream)
      .catch((error: unknown) =>
        logger.debug({ err: error, host: host.name }, 'the event stream of a host ended')
      )
      .finally(() => {
        eventStreams.delete(host.id)
        watching[Symbol.dispose]()
      })
  } catch (error) {
    logger.debug({ err: error, host: host.name }, 'the events of a host could not be received')
  }
}

async function listen(host: HostInstance, stream: EventStream): Promise<void> {
  for await (const { metadata } of stream) {
    const name = /^\/1\.0\/instances\/([^/?]+)/.exec(String(metadata.source))?.[1]
    if (name && POWER_EVENTS.has(String(metadata.action)))
      scheduleCheck(host, decodeURIComponent(name))
  }
}

function scheduleCheck(host: HostInstance, name: string): void {
  const key = `${host.id}/${name}`
  clearTimeout(scheduledChecks.get(key))
  const look = async () => {
    scheduledChecks.delete(key)
    const row = await ServerInstance.query()
      .where({ hostInstanceId: host.id, systemId: name })
      .select('id')
      .first()
    if (row) await reconcileInstance(row.id, name, incusClientFor(host))
  }
  const timer = setTimeout(() => {
    look().catch((error: unknown) =>
      logger.warn(
        { err: error, host: host.name, name },
        'an instance could not be checked after an event'
      )
    )
  }, SETTLE_MS)
  scheduledChecks.set(key, timer.unref())
}

export default defineSchedule({
  name: 'instances.follow-hosts',
  label: 'Receives instance events from hosts',
  every: 10,
  everywhere: true,
  run: watchHostEvents,
})
