import { prepareHosts } from '#hosts/schedules/prepare_hosts'
import type { Incus } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'
import { changeSettings } from '#tests/support/settings'
import env from '#start/env'
import assert from 'node:assert/strict'

/**
 * Lets the instances of this machine reach these ports of it as the worker does each minute; none unless told.
 * @param address at which this machine is reached
 * @returns how to undo it
 */
export async function servePublicly(
  incus: Incus,
  ports: number[] = [],
  address = ''
): Promise<() => Promise<void>> {
  const undo = changeSettings({ PUBLIC_PORTS: ports.join(','), PUBLIC_IP: address })
  await put(incus)
  return async () => {
    undo()
    await put(incus)
  }
}

/** Has the worker's rules put, and waits until they are. */
async function put(incus: Incus): Promise<void> {
  const ports = env.get('PUBLIC_PORTS', '')
  await eventually(async () => {
    await prepareHosts()
    const rules = (await incus.networks.acls()).flatMap(({ egress }) => egress)
    assert.equal(rules.find(({ protocol }) => protocol === 'tcp')?.destination_port ?? '', ports)
  })
}
