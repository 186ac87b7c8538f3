import { defineSchedule } from '#core/schedules/schedules'
import { checkHost } from '#hosts/check'
import { hostsHere } from '#hosts/here'

/** All hosts side by side, so that one that is away delays nobody. */
export async function checkHosts(): Promise<void> {
  const hosts = await hostsHere()
  await Promise.all(hosts.map((host) => checkHost(host)))
}

export default defineSchedule({
  name: 'hosts.check',
  label: 'Asks hosts whether they answer',
  every: 30,
  everywhere: true,
  run: checkHosts,
})
