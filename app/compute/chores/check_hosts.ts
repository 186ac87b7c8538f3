import { checkHost } from '#compute/actions/check_host'
import HostInstance from '#compute/models/host_instance'
import { defineChore } from '#core/schedule'

/** All hosts side by side, so that one that is away delays nobody. */
export async function checkHosts(): Promise<void> {
  const hosts = await HostInstance.query().whereNot('status', 'deleted')
  await Promise.all(hosts.map((host) => checkHost(host)))
}

defineChore({ name: 'compute.check-hosts', every: 30, run: checkHosts })
