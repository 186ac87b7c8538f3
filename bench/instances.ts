/** Orders instances through the console's HTTP routes. */
import type { Incus } from '../packages/incus/main.js'
import type { Caller } from './console.js'

export interface Ordered {
  id: number
  /** Name of the instance in Incus. */
  systemId: string
  restart(): Promise<void>
  remove(): Promise<void>
}

/** Creates a package (a plan) with 1 vCPU and 1 GB of disk space. Returns its ID. */
export async function benchPackage(staff: Caller, { ramMiB = 512 } = {}): Promise<number> {
  const price = (period: string) => ({ period, price: '1', renew: '1', billing_cycle: 1 })
  const data = await staff.call<{ id: number }>('POST', '/admin/server-package/store', {
    name: `Bench ${Date.now()}`,
    instance_type: 'regular',
    server_series: 'bronze',
    specifications: {
      vcpu: { value: 1 },
      ram: { value: ramMiB, unit: 'MB' },
      storage: { value: 1, unit: 'GB', type: 'SSD' },
      bandwidth: { value: 1, unit: 'GB' },
    },
    pricing: [price('month'), price('year')],
    offered: true,
  })
  return data.id
}

/** Orders an instance and waits until it is active. Retries a rejected order for 2 minutes, until a host has space. */
export async function orderInstance(
  incus: Incus,
  caller: Caller,
  packageId: number,
  name: string
): Promise<Ordered> {
  const wanted = {
    name,
    instance_type: 'regular',
    server_package_id: packageId,
    billing_period: 'month',
  }
  type Made = { id: number; operation_id: string }
  let made: Made | undefined
  await pollUntilTrue(async () => {
    made = await caller.call<Made>('POST', '/server-instance/store', wanted)
    return true
  }, 120_000)
  const { id, operation_id } = made!
  await waitForOperation(caller, operation_id)
  const work = async (path: string, body: object) => {
    const begun = await caller.call<{ operation_id: string }>('POST', path, body)
    await waitForOperation(caller, begun.operation_id)
  }
  const all = await incus.instances.list()
  const { name: systemId } = all.find(
    (each) => /^berth-[0-9a-f]+-\d+$/.test(each.name) && each.name.endsWith(`-${id}`)
  )!
  return {
    id,
    systemId,
    restart: () => work('/server-instance/restart', { id }),
    remove: () => work('/server-instance/delete', { id, name }),
  }
}

/**
 * Waits until an operation has ended. Uses the operation's event stream, like a page.
 * @throws Error if the operation fails, or the stream ends earlier
 */
export async function waitForOperation(caller: Caller, id: string): Promise<void> {
  type Told = { status: string; error: string | null }
  for await (const { status, error } of caller.events<Told>(`/operations/${id}/events`)) {
    if (status === 'done') return
    if (status === 'failed') throw new Error(error ?? 'failed')
  }
  throw new Error('The events ended before the work')
}

/**
 * Calls `is` repeatedly until it returns true. An error counts as false.
 * @throws Error after `within` milliseconds
 */
export async function pollUntilTrue(is: () => Promise<boolean>, within: number): Promise<void> {
  const deadline = Date.now() + within
  let cause: unknown
  const ask = () =>
    is().catch((error: unknown) => {
      cause = error
      return false
    })
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error('This does not come about', { cause })
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
