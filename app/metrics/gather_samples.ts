import { diskQuotaWithoutImage } from '#catalog/public'
import { type HostInstance, saveHostMemoryUse } from '#hosts/public'
import { saveDiskUse, ServerInstance } from '#instances/public'
import { loadHostUsage, type HostUsage } from '#metrics/host_usage'
import { type UsageCounters, computeUsageRates, sumRates } from '#metrics/usage_rates'
import type { MetricsSample } from '#metrics/samples'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'
import type { Incus, InstanceMetrics } from '#packages/incus/main'

export type IncusForSamples = Pick<Incus, 'metrics'> & {
  cluster: Pick<Incus['cluster'], 'memberState'>
  instances: Pick<Incus['instances'], 'exec' | 'listWithState'>
  storagePools: Pick<Incus['storagePools'], 'list' | 'resources'>
}

/**
 * Incus measures the disk usage of each instance, which may take long. After this time, the
 * instances' samples have no disk usage.
 */
const DISK_TIMEOUT_MS = 10_000

/** The previous counters are in the database, so any worker can compute the rates. */
export async function gatherSamples(
  host: HostInstance,
  incus: IncusForSamples,
  now: DateTime
): Promise<MetricsSample[]> {
  const [reportedMetrics, use, pool, disks] = await Promise.all([
    incus.metrics(),
    loadHostUsage(host, incus),
    poolSpace(incus),
    disksOf(incus),
  ])
  const metrics = byName(reportedMetrics)
  const before = await loadCounters(host.id)
  const counters = metrics.map((one) => parseCounters(one, now))
  const rates = metrics.map(({ name }, index) =>
    computeUsageRates(before.get(name), counters[index]!)
  )
  await saveCounters(host.id, metrics, counters, now)

  const known = await ServerInstance.live()
    .where('hostInstanceId', host.id)
    .whereNotNull('systemId')
    .select('id', 'systemId', 'diskBytes', 'imageBytes')
    .pojo<{ id: number; system_id: string; disk_bytes: number; image_bytes: number }>()
  const at = new Map(metrics.map(({ name }, index) => [name, index]))
  const samples: MetricsSample[] = []
  for (const { id, system_id: name, disk_bytes: diskBytes, image_bytes: imageBytes } of known) {
    const index = at.get(name)
    if (index === undefined) continue
    const one = metrics[index]
    const diskUsed = disks.get(name) ?? null
    samples.push({
      subject: 'instance',
      subjectId: id,
      rates: rates[index]!,
      load: null,
      memoryUsed: one.memoryUsed,
      memoryTotal: one.memoryTotal,
      diskUsed,
      diskTotal: diskUsed === null ? null : diskQuotaWithoutImage({ diskBytes, imageBytes }),
    })
  }
  samples.push({
    subject: 'host',
    subjectId: host.id,
    rates: sumRates(rates),
    load: use.load,
    memoryUsed: use.memoryUsed,
    memoryTotal: use.memoryTotal,
    diskUsed: pool?.used ?? null,
    diskTotal: pool?.total ?? null,
  })
  await saveHostUsage(host, use, samples)
  return samples
}

/**
 * Instances in different Incus projects can have the same name, but the names that Berth gives are
 * unique.
 */
function byName(metrics: InstanceMetrics[]): InstanceMetrics[] {
  return [...new Map(metrics.map((one) => [one.name, one])).values()]
}

/** In bytes, without the image, by the instance's name in Incus. */
async function disksOf(incus: IncusForSamples): Promise<Map<string, number>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never[]>((resolve) => {
    timer = setTimeout(() => resolve([]), DISK_TIMEOUT_MS)
  })
  const request = incus.instances.listWithState().catch(() => [])
  const instances = await Promise.race([request, late])
  clearTimeout(timer)
  return new Map(
    instances.flatMap(({ name, state }) => {
      const used = state.disk?.root?.usage
      // Incus reports -1 if the storage pool does not measure usage.
      return used !== undefined && used >= 0 ? [[name, used] as const] : []
    })
  )
}

async function saveHostUsage(
  host: HostInstance,
  use: HostUsage,
  samples: MetricsSample[]
): Promise<void> {
  await saveHostMemoryUse(host, use.memoryUsed)
  const disks = samples.flatMap(({ subject, subjectId, diskUsed }) =>
    subject === 'instance' && diskUsed !== null ? [[subjectId, diskUsed] as const] : []
  )
  await saveDiskUse(new Map(disks))
}

async function poolSpace(incus: IncusForSamples): Promise<{ used: number; total: number } | null> {
  const pools = await incus.storagePools.list()
  if (pools.length === 0) return null
  const spaces = await Promise.all(pools.map(({ name }) => incus.storagePools.resources(name)))
  return {
    used: spaces.reduce((sum, { space }) => sum + space.used, 0),
    total: spaces.reduce((sum, { space }) => sum + space.total, 0),
  }
}

function parseCounters(one: InstanceMetrics, now: DateTime): UsageCounters {
  return {
    at: now.toMillis(),
    cpu: one.cpuSeconds,
    diskRead: one.diskReadBytes,
    diskWritten: one.diskWrittenBytes,
    networkIn: one.networkReceivedBytes,
    networkOut: one.networkSentBytes,
  }
}

async function loadCounters(hostId: number): Promise<Map<string, UsageCounters>> {
  const rows = await db.from('metric_counters').where('host_instance_id', hostId)
  return new Map(
    rows.map((row) => [
      row.name,
      {
        at: new Date(row.at).getTime(),
        cpu: row.cpu,
        diskRead: row.disk_read,
        diskWritten: row.disk_written,
        networkIn: row.network_in,
        networkOut: row.network_out,
      },
    ])
  )
}

/**
 * Saves the counters. Deletes those of instances that Incus no longer reports, because a new instance
 * can get the same name.
 */
async function saveCounters(
  hostId: number,
  metrics: InstanceMetrics[],
  counters: UsageCounters[],
  now: DateTime
): Promise<void> {
  const names = metrics.map(({ name }) => name)
  const columns = ['cpu', 'disk_read', 'disk_written', 'network_in', 'network_out']
  await db.rawQuery(
    `with gone as (
       delete from metric_counters where host_instance_id = :host and name <> all(:names::text[])
     )
     insert into metric_counters (host_instance_id, name, at, ${columns.join(', ')})
     select :host, read.* from (
       select name, :at::timestamptz, ${columns.join(', ')}
       from unnest(:names::text[], ${columns.map((name) => `:${name}::float8[]`).join(', ')})
         as told (name, ${columns.join(', ')})) as read
     on conflict (host_instance_id, name) do update set at = excluded.at,
       ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    {
      host: hostId,
      names,
      at: now.toUTC().toISO(),
      cpu: counters.map(({ cpu }) => cpu),
      disk_read: counters.map(({ diskRead }) => diskRead),
      disk_written: counters.map(({ diskWritten }) => diskWritten),
      network_in: counters.map(({ networkIn }) => networkIn),
      network_out: counters.map(({ networkOut }) => networkOut),
    }
  )
}
