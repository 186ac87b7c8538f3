import { prepareHosts } from '#hosts/schedules/prepare_hosts'
import type { Incus } from '#packages/incus/main'
import { eventually } from '#tests/support/eventually'
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
  const before = [env.get('PUBLIC_PORTS', ''), env.get('PUBLIC_IP', '')] as const
  await put(incus, ports.join(','), address)
  return () => put(incus, ...before)
}

async function put(incus: Incus, ports: string, address: string): Promise<void> {
  env.set('PUBLIC_PORTS', ports as never)
  env.set('PUBLIC_IP', address as never)
  await eventually(async () => {
    await prepareHosts()
    const rules = (await incus.networks.acls()).flatMap(({ egress }) => egress)
    assert.equal(rules.find(({ protocol }) => protocol === 'tcp')?.destination_port ?? '', ports)
  })
}
