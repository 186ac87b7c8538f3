import { defineSchedule } from '#core/schedules/schedules'
import { type HostInstance, hostsHere, incusOf } from '#hosts/public'
import ServerInstance from '#instances/models/server_instance'
import { settle } from '#instances/schedules/reconcile'
import type { EventStream } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import { addAbortListener } from 'node:events'

/** What Incus tells when an instance was switched on or off, from wherever. */
const POWER_EVENTS = new Set(['instance-started', 'instance-stopped', 'instance-shutdown'])
/** Milliseconds until it is looked at: one that is being started anew is off for a moment. */
const SETTLE_MS = 3_000

const streams = new Map<number, EventStream>()
const looks = new Map<string, NodeJS.Timeout>()

/**
 * Listens to every active host of this machine until `signal` ends, so that between two comparisons
 * only what a host tells of is looked at. Call again to take up hosts that came or came back.
 */
export async function followHosts(signal: AbortSignal): Promise<void> {
  const hosts = await hostsHere().where('status', 'active')
  const ids = new Set(hosts.map(({ id }) => id))
  for (const [id, stream] of streams) if (!ids.has(id)) stream.close()
  const silent = hosts.filter(({ id }) => !streams.has(id))
  await Promise.all(silent.map((host) => follow(host, signal)))
}

async function follow(host: HostInstance, signal: AbortSignal): Promise<void> {
  try {
    const stream = await incusOf(host).events(['lifecycle'])
    const close = () => stream.close()
    const watching = addAbortListener(signal, close)
    streams.set(host.id, stream)
    void listen(host, stream)
      .catch((error: unknown) => logger.debug({ err: error, host: host.name }, 'events ended'))
      .finally(() => {
        streams.delete(host.id)
        watching[Symbol.dispose]()
      })
  } catch (error) {
    logger.debug({ err: error, host: host.name }, 'host does not tell of events')
  }
}

async function listen(host: HostInstance, stream: EventStream): Promise<void> {
  for await (const { metadata } of stream) {
    const name = /^\/1\.0\/instances\/([^/?]+)/.exec(String(metadata.source))?.[1]
    if (name && POWER_EVENTS.has(String(metadata.action))) lookSoon(host, decodeURIComponent(name))
  }
}

function lookSoon(host: HostInstance, name: string): void {
  const key = `${host.id}/${name}`
  clearTimeout(looks.get(key))
  const look = async () => {
    looks.delete(key)
    const row = await ServerInstance.query()
      .where({ hostInstanceId: host.id, systemId: name })
      .select('id')
      .first()
    if (row) await settle(row.id, name, incusOf(host))
  }
  const timer = setTimeout(() => {
    look().catch((error: unknown) =>
      logger.warn({ err: error, host: host.name, name }, 'not looked at')
    )
  }, SETTLE_MS)
  looks.set(key, timer.unref())
}

export default defineSchedule({
  name: 'instances.follow-hosts',
  label: 'Receives instance events from hosts',
  every: 10,
  everywhere: true,
  run: followHosts,
})
