import {
  type Allocation,
  EARLIER_IMAGE_RESERVE_BYTES,
  getCurrentPackageVersion,
  changeSubscriptionVersion,
  PackageVersion,
} from '#catalog/public'
import { defineOperation } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { instanceDeleted } from '#instances/errors'
import { applyNewAllocation } from '#instances/containers/limits'
import ServerInstance from '#instances/models/server_instance'
import { withLockedInstance } from '#instances/operations/step_helpers'
import { instanceOperationSubject } from '#instances/queries/instances'
import { findRunningBoost } from '#instances/runtime_limits'
import db from '@adonisjs/lucid/services/db'

type RecordedAllocation = Allocation & { image: number }

export interface ResizeInput {
  instanceId: number
  serverPackageId: number
  /** Null in operations that started before package versions existed. They use the version on sale. */
  packageVersionId: number | null
  share: RecordedAllocation
  before: RecordedAllocation
}

/** Until the operation finishes, the host allocates the larger of the old and the new values. */
export const instanceResizeOperation = defineOperation<ResizeInput>({
  kind: 'instance.resize',
  queue: 'machine',
  version: 3,
  upgrade({ input, version }) {
    if (version < 2) input.packageVersionId = null
    for (const size of [input.share, input.before] as RecordedAllocation[])
      size.image ??= EARLIER_IMAGE_RESERVE_BYTES
  },
  steps: [
    {
      key: 'limits',
      label: 'Set the new limits',
      run: (input, context) =>
        withLockedInstance(input, context, async ({ instance, host, incus }) => {
          const { share: allocation, before } = input
          if (allocation.disk < before.disk) {
            const { disk } = await incus.instances.state(instance.systemId!)
            const used = disk?.root?.usage ?? 0
            // The blocks of the base image count towards the quota too, so the image reserve is not available for
            // data.
            if (used > allocation.disk - allocation.image) throw tooFull(used)
          }
          const boost = findRunningBoost(instance.boostedUntil, allocation, host)
          await applyNewAllocation(incus, instance.systemId!, allocation, boost)
        }),
    },
    {
      key: 'note',
      label: 'Save the new package',
      run: (input, context) => withLockedInstance(input, context, () => saveNewSize(input)),
    },
  ],
  async failed({ instanceId, before }) {
    await ServerInstance.query()
      .where('id', instanceId)
      .update({
        vcpu: before.vcpu,
        memory_bytes: before.memory,
        disk_bytes: before.disk,
        image_bytes: before.image,
        processes: before.processes ?? null,
      })
  },
})

/** The new price is billed from now on. */
function saveNewSize(input: ResizeInput): Promise<void> {
  const { instanceId, serverPackageId, packageVersionId, share: allocation } = input
  return db.transaction(async (trx) => {
    const instance = await ServerInstance.query({ client: trx })
      .where('id', instanceId)
      .forUpdate()
      .firstOrFail()
    if (instance.deletionAskedAt) throw instanceDeleted()
    const version = packageVersionId
      ? await PackageVersion.findOrFail(packageVersionId, { client: trx })
      : await getCurrentPackageVersion(serverPackageId, { client: trx })
    const size = { serverPackageId, packageVersionId: version.id, ...allocationColumns(allocation) }
    await instance.merge(size).save()
    const { accountId, billingPeriod: period } = instance
    await changeSubscriptionVersion(
      { accountId, subject: instanceOperationSubject(instance), version, period },
      trx
    )
  })
}

export function allocationColumns({
  vcpu,
  memory,
  disk,
  image,
  processes = null,
}: RecordedAllocation) {
  return { vcpu, memoryBytes: memory, diskBytes: disk, imageBytes: image, processes }
}

function tooFull(used: number): AppError {
  const gigabytes = (used / 1024 ** 3).toFixed(1)
  return new AppError(
    'too_full',
    409,
    `The instance uses ${gigabytes} GB of disk, which is more than the new package has. Nothing was changed.`
  )
}
