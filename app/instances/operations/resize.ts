import type { Share } from '#catalog/public'
import { defineOperation } from '#core/operations/operations'
import { Refusal } from '#core/refusal'
import { applyLimits } from '#instances/containers/limits'
import ServerInstance from '#instances/models/server_instance'
import { onInstance } from '#instances/operations/steps'

export interface ResizeInput {
  instanceId: number
  serverPackageId: number
  share: Share
  /** What it had before; it returns to that when the new size cannot be set. */
  before: Share
}

/** Sets the limits of another package. Room for both sizes is promised until it has ended. */
export const resizing = defineOperation<ResizeInput>({
  kind: 'instance.resize',
  lane: 'machine',
  steps: [
    {
      key: 'limits',
      label: 'Set the new limits',
      run: (input, context) =>
        onInstance(input, context, async ({ instance, incus }) => {
          const { share, before } = input
          if (share.disk < before.disk) {
            const { disk } = await incus.instances.state(instance.systemId!)
            const used = disk?.root?.usage ?? 0
            if (used > share.disk) throw tooFull(used)
          }
          await applyLimits(incus, instance.systemId!, share)
        }),
    },
    {
      key: 'note',
      label: 'Note the new package',
      run: (input, context) =>
        onInstance(input, context, async ({ instance }) => {
          const { serverPackageId, share } = input
          instance.merge({ serverPackageId, ...columnsOf(share), boostedUntil: null })
          await instance.save()
        }),
    },
  ],
  async failed({ instanceId, before }) {
    await ServerInstance.query()
      .where('id', instanceId)
      .update({
        vcpu: before.vcpu,
        memory_bytes: before.memory,
        disk_bytes: before.disk,
        processes: before.processes ?? null,
      })
  },
})

/** A share as the columns of an instance. */
export function columnsOf({ vcpu, memory, disk, processes = null }: Share) {
  return { vcpu, memoryBytes: memory, diskBytes: disk, processes }
}

function tooFull(used: number): Refusal {
  const gigabytes = (used / 1024 ** 3).toFixed(1)
  return new Refusal(
    'too_full',
    409,
    `It holds ${gigabytes} GB, which is more than the new package has. Nothing was changed.`
  )
}
