import { defineSchedule } from '#core/schedules/schedules'
import { forEachLimit } from '#core/for_each_limit'
import { checkHost } from '#hosts/check_host'
import { listLocalHosts } from '#hosts/local_hosts'

/** `timeoutMs`: after this time, the check of a host frees its place for the check of another, but still runs. */
const CHECK_CONCURRENCY = { places: 8, timeoutMs: 1_000 }

/** Checks this console's hosts, several at a time, so that an unreachable host does not delay the others. */
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
