import { prepareHosts } from '#hosts/schedules/prepare_hosts'
import type { Incus } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'
import { overrideSettings } from '#tests/support/override_settings'
import env from '#start/env'
import assert from 'node:assert/strict'

/**
 * Opens these ports of this machine to its instances, as the worker does each minute. Default: no ports.
 * @param address the public address of this machine
 * @returns a function that restores the previous settings and their firewall rules
 */
export async function openPublicPorts(
  incus: Incus,
  ports: number[] = [],
  address = ''
): Promise<() => Promise<void>> {
  const undo = overrideSettings({ PUBLIC_PORTS: ports.join(','), PUBLIC_IP: address })
  await applyFirewallRules(incus)
  return async () => {
    undo()
    await applyFirewallRules(incus)
  }
}

/** Runs the worker's `prepareHosts` until the bridge's ACL allows these TCP ports. */
async function applyFirewallRules(incus: Incus): Promise<void> {
  const ports = env.get('PUBLIC_PORTS', '')
  await eventually(async () => {
    await prepareHosts()
    const rules = (await incus.networks.acls()).flatMap(({ egress }) => egress)
    assert.equal(rules.find(({ protocol }) => protocol === 'tcp')?.destination_port ?? '', ports)
  })
}
