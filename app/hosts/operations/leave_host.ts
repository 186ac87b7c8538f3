import { defineOperation, startOperation, type Step } from '#core/operations/operations'
import { Elsewhere } from '#core/this_machine'
import { incusOf } from '#hosts/connections'
import { selfTestName } from '#hosts/containment/self_test'
import { removeWatchdog } from '#hosts/watchdog/watchdog'
import HostInstance from '#hosts/models/host_instance'
import type { HostInput } from '#hosts/operations/prepare_host'
import { fingerprint, type Incus, removeContainer, unlessMissing } from '#packages/incus/main'
import logger from '@adonisjs/core/services/logger'
import type { TransactionClientContract } from '@adonisjs/lucid/types/database'

/**
 * Takes what is ours off a host that has been removed. What cannot be taken stays there; our key to
 * it is forgotten either way.
 */
export const leaving = defineOperation<HostInput>({
  kind: 'host.leave',
  lane: 'machine',
  steps: [
    onRemoved(
      'keeper',
      'Remove the watchdog of Build Mode and the instance of the self-test',
      async (_host, incus) => {
        await removeWatchdog(incus)
        await removeContainer(incus, await selfTestName())
      }
    ),
    // Last, because nothing more can be asked of it afterwards.
    onRemoved('trust', 'Remove the certificate of Berth', async ({ clientCertificate }, incus) => {
      if (!clientCertificate) return
      await unlessMissing(incus.certificates.delete(fingerprint(clientCertificate)))
    }),
    {
      key: 'forget',
      label: 'Delete the stored key',
      run: async ({ hostId }) => {
        await HostInstance.query().where('id', hostId).update({ client_key: null })
      },
    },
  ],
})

/** Starts it in the transaction that removes the host, so that it is done whatever breaks off afterwards. */
export function startLeaving(host: HostInstance, trx: TransactionClientContract) {
  return startOperation(
    leaving,
    { hostId: host.id },
    {
      title: `Leaving ${host.name}`,
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
): Step<HostInput> {
  return {
    key,
    label,
    async run({ hostId }) {
      const host = await HostInstance.findOrFail(hostId)
      try {
        await work(host, incusOf(host))
      } catch (error) {
        if (error instanceof Elsewhere) throw error
        logger.warn({ err: error, host: host.name }, 'something of ours stays on this host')
      }
    },
  }
}
