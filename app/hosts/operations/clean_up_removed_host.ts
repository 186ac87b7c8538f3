import { defineOperation, startOperation, type Step } from '#core/operations/operations'
import { NotOnThisHost } from '#core/local_host'
import { incusClientFor } from '#hosts/incus_connections'
import { selfTestInstanceName } from '#hosts/containment/self_test'
import { removeBuildModeWatchdog } from '#hosts/watchdog/build_mode_watchdog'
import { removeHostIsolation } from '#hosts/isolate_tenants'
import HostInstance from '#hosts/models/host_instance'
import type { HostOperationInput } from '#hosts/operations/prepare_host'
import {
  certificateFingerprint,
  type Incus,
  removeContainer,
  nullIfNotFound,
} from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Removes Berth's containers, rules and certificate from a host. Deletes Berth's key of the host even if a step
 * fails. The step's note then says why something remains on the host.
 */
export const cleanUpHostOperation = defineOperation<HostOperationInput>({
  kind: 'host.leave',
  queue: 'machine',
  steps: [
    onRemoved(
      'keeper',
      'Remove the Build Mode watchdog, the self-test instance and the network rules',
      async (_host, incus) => {
        await removeBuildModeWatchdog(incus)
        await removeContainer(incus, await selfTestInstanceName())
        await removeHostIsolation(incus)
      }
    ),
    // The last step on the host, because Berth needs the certificate to access it.
    onRemoved(
      'trust',
      'Remove Berth’s certificate from the host',
      async ({ clientCertificate }, incus) => {
        if (!clientCertificate) return
        await nullIfNotFound(incus.certificates.delete(certificateFingerprint(clientCertificate)))
      }
    ),
    {
      key: 'forget',
      label: 'Delete the stored key',
      run: async ({ hostId }) => {
        await HostInstance.query().where('id', hostId).update({ client_key: null })
      },
    },
  ],
})

/**
 * Starts the clean-up within the transaction that removes the host. After a crash, either both or neither have
 * happened.
 */
export function startHostCleanUp(host: HostInstance, trx: TransactionClientContract) {
  return startOperation(
    cleanUpHostOperation,
    { hostId: host.id },
    {
      title: `Removing Berth from ${host.name}`,
      accountId: null,
      subject: { type: 'host_instance', id: host.id },
      trx,
    }
  )
}

function onRemoved(
  key: string,
  label: string,
  work: (host: HostInstance, incus: Incus) => Promise<void>
): Step<HostOperationInput> {
  return {
    key,
    label,
    async run({ hostId }, context) {
      const host = await HostInstance.findOrFail(hostId)
      try {
        await work(host, incusClientFor(host))
      } catch (error) {
        if (error instanceof NotOnThisHost) throw error
        logger.warn({ err: error, host: host.name }, 'objects of Berth remain on a removed host')
        await context.reportProgress(
          `Skipped. It remains on the host, because: ${(error as Error).message}`
        )
      }
    },
  }
}
