import { defineSchedule } from '#core/schedules/schedules'
import { forEachLimit } from '#core/for_each_limit'
import { checkHost } from '#hosts/check_host'
import { listLocalHosts } from '#hosts/local_hosts'

/** Hosts that are asked at once, and the milliseconds until one that is late no longer counts. */
const CHECK_CONCURRENCY = { places: 8, timeoutMs: 1_000 }

/** All hosts side by side, so that one that is away delays nobody. */
export async function checkHosts(): Promise<void> {
  await forEachLimit(
    await listLocalHosts(),
    CHECK_CONCURRENCY,
    async (host) => void (await checkHost(host))
  )
}

export default defineSchedule({
  name: 'hosts.check',
  label: 'Checks that hosts respond',
  every: 30,
  everywhere: true,
  run: checkHosts,
})
