import { defineOperation, type Step, startOperation } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { BASE_IMAGE, findLocalBaseImage } from '#hosts/base_image'
import { checkHost } from '#hosts/check_host'
import { incusClientFor } from '#hosts/incus_connections'
import { assertLocallyManaged } from '#hosts/local_hosts'
import { isolateHostTenants } from '#hosts/isolate_tenants'
import { ensureBuildModeWatchdogIfPossible } from '#hosts/watchdog/build_mode_watchdog'
import HostInstance from '#hosts/models/host_instance'
import type { Incus } from '#packages/incus/main'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

export interface HostOperationInput {
  hostId: number
}

const PREPARING_MESSAGE = 'Berth is preparing the network and the base image of this host.'
const UNPACK_TIMEOUT_SECONDS = 1800

/** Prepares a remote host in the same way as `./berth` prepares its own machine. */
export const prepareHostOperation = defineOperation<HostOperationInput>({
  kind: 'host.prepare',
  queue: 'machine',
  steps: [
    onHost('isolate', 'Isolate instances from each other', isolateHostTenants),
    onHost('image', 'Copy the base image to the host', copyImage),
    onHost('keeper', 'Start the Build Mode watchdog', ensureBuildModeWatchdogIfPossible),
    onHost('check', 'Activate the host', async (host) => {
      await checkHost(host)
    }),
  ],
  async failed({ hostId }, reason) {
    await HostInstance.query()
      .where({ id: hostId, status: 'pending' })
      .update({ status_reason: reason })
  },
})

/** Starts the preparation of a host. Until it is done, a new host stays `pending`. */
export async function startHostPreparation(host: HostInstance, trx?: TransactionClientContract) {
  if (host.status === 'pending') {
    if (trx) host.useTransaction(trx)
    await host.merge({ statusReason: PREPARING_MESSAGE }).save()
  }
  return startOperation(
    prepareHostOperation,
    { hostId: host.id },
    {
      title: `Preparing ${host.name}`,
      accountId: null,
      subject: { type: 'host_instance', id: host.id },
      trx,
    }
  )
}

function onHost(
  key: string,
  label: string,
  work: (host: HostInstance, incus: Incus) => Promise<void>
): Step<HostOperationInput> {
  return {
    key,
    label,
    async run({ hostId }) {
      const host = await HostInstance.findOrFail(hostId)
      if (host.status === 'deleted') throw new AppError('host_gone', 409, 'The host was removed.')
      // The base image is copied from the control machine that manages this host.
      assertLocallyManaged(host)
      await work(host, incusClientFor(host))
    },
  }
}

/** Copies the base image through this process, because the two machines may not reach each other. */
async function copyImage(_host: HostInstance, incus: Incus): Promise<void> {
  const source = await findLocalBaseImage()
  if (!source) {
    const message = 'No host has the base image yet. Berth retries automatically.'
    throw new AppError('no_image', 503, message)
  }
  const { image } = source
  const { architectures } = (await incus.info()).environment
  if (!architectures.includes(image.architecture)) {
    const message = `The processor of the host (${architectures[0]}) cannot run the base image (${image.architecture}).`
    throw new AppError('other_processor', 409, message)
  }
  const before = await incus.images.byAlias(BASE_IMAGE)
  if (before?.fingerprint === image.fingerprint) return
  const present = (await incus.images.list()).some(
    ({ fingerprint }) => fingerprint === image.fingerprint
  )
  if (!present) {
    await (await source.incus.images.sendTo(incus.images, image)).wait(UNPACK_TIMEOUT_SECONDS)
  }
  await incus.images.setAlias(BASE_IMAGE, image.fingerprint, 'Image for new instances')
  // The old image can be deleted, because existing instances have their own copy of it.
  if (before) await (await incus.images.delete(before.fingerprint)).wait(300)
}
