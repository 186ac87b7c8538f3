import { publish } from '#core/live/live_events'
import { defineSchedule } from '#core/schedules/schedules'
import { findExceededLimits, testContainment } from '#hosts/containment/self_test'
import { listLocalHosts } from '#hosts/local_hosts'
import HostInstance from '#hosts/models/host_instance'
import { DateTime } from 'luxon'

const TEST_WINDOW_UTC = { from: 1, to: 5 }
const MIN_INTERVAL_HOURS = 20
/** After this time, a host is also tested by day. The console may have been off at night. */
const MAX_INTERVAL_HOURS = 36
/** A younger host is not tested, because Berth may still prepare it. */
const MIN_AGE_HOURS = 1

/**
 * Tests hosts one after the other, because the attacks use the host's CPUs. Tests only active hosts, and offline
 * hosts and hosts in maintenance whose last test instance exceeded its limits.
 */
export async function testContainmentOfDueHosts(now = DateTime.utc()): Promise<void> {
  const hosts = await listLocalHosts().whereIn('status', ['active', 'offline', 'maintenance'])
  for (const host of hosts) {
    const mayTest = host.status === 'active' || findExceededLimits(host) !== null
    if (mayTest && isContainmentTestDue(host, now)) await testAndSaveContainment(host)
  }
}

export async function testAndSaveContainment(
  host: HostInstance,
  change: Record<string, string> = {}
): Promise<void> {
  const containment = await testContainment(host, change)
  // Without a result, the broken boundaries of the previous test still count.
  if (containment.error !== null) containment.broken = host.containment?.broken ?? []
  await HostInstance.query()
    .where('id', host.id)
    .update({ containment: JSON.stringify(containment) })
  await publish(`host_instance:${host.id}`)
}

export function isContainmentTestDue(
  { containment, createdAt }: Pick<HostInstance, 'containment' | 'createdAt'>,
  now: DateTime
): boolean {
  if (now.diff(createdAt).as('hours') < MIN_AGE_HOURS) return false
  if (!containment || findExceededLimits({ containment }) !== null) return true
  const hours = now.diff(DateTime.fromISO(containment.at)).as('hours')
  const isNight = now.toUTC().hour >= TEST_WINDOW_UTC.from && now.toUTC().hour < TEST_WINDOW_UTC.to
  return hours >= (isNight ? MIN_INTERVAL_HOURS : MAX_INTERVAL_HOURS)
}

export default defineSchedule({
  name: 'hosts.containment',
  label: 'Tests the containment of each host every night',
  every: 600,
  everywhere: true,
  run: () => testContainmentOfDueHosts(),
})
