import { audit } from '#core/audit/audit'
import { defineOperation, type StepContext } from '#core/operations/operations'
import { clearInstanceAsDefault } from '#accounts/public'
import { instanceIdOfContainer } from '#instances/containers/labels'
import { stopContainer } from '#instances/containers/power'
import type { ContainerContext } from '#instances/containers/container_context'
import { runBeforeDeletionHooks, runDeletionCommitHooks } from '#instances/deletion_hooks'
import { withInstanceLock } from '#instances/instance_lock'
import { closeInstanceConnections } from '#instances/instance_machines'
import ServerInstance from '#instances/models/server_instance'
import { type InstanceOperationInput, withLockedInstance } from '#instances/operations/step_helpers'
import { removeContainer, nullIfNotFound } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

export const instanceDeleteOperation = defineOperation<InstanceOperationInput>({
  kind: 'instance.delete',
  queue: 'machine',
  steps: [
    {
      key: 'stop',
      label: 'Stop the instance',
      run: (input, context) =>
        onContainer(input, context, async ({ instance, incus }) => {
          await closeInstanceConnections(instance)
          await stopContainer(incus, instance.systemId!, { force: true })
        }),
    },
    {
      key: 'tell',
      label: 'Remove the sites and services of the instance',
      run: removeInstanceContainer,
    },
    {
      key: 'remove',
      label: 'Delete the disk of the instance',
      run: (input, context) =>
        onContainer(input, context, ({ instance, incus }) =>
          removeContainer(incus, instance.systemId!)
        ),
    },
    {
      key: 'free',
      label: 'Free the name, port and address of the instance',
      run: releaseResources,
    },
  ],
  async failed({ instanceId }, reason) {
    await ServerInstance.live()
      .where('id', instanceId)
      .update({ status: 'failed', status_reason: `Deleting failed: ${reason}` })
  },
})

/** Does nothing if the container does not exist or does not belong to the instance. */
async function onContainer(
  input: InstanceOperationInput,
  context: StepContext,
  work: (what: ContainerContext) => Promise<void>
): Promise<void> {
  const { hostInstanceId, systemId } = await ServerInstance.findOrFail(input.instanceId)
  if (!hostInstanceId || !systemId) return
  await withLockedInstance(
    input,
    context,
    async (what) => {
      // Reads the name from the locked row, because the instance may have changed since the first query.
      const container = await nullIfNotFound(what.incus.instances.get(what.instance.systemId!))
      if (container && (await instanceIdOfContainer(container)) === what.instance.id)
        await work(what)
    },
    { deleting: true }
  )
}

async function removeInstanceContainer({ instanceId }: InstanceOperationInput): Promise<void> {
  await runBeforeDeletionHooks(await ServerInstance.findOrFail(instanceId))
}

async function releaseResources({ instanceId }: InstanceOperationInput): Promise<void> {
  await withInstanceLock(instanceId, () =>
    db.transaction(async (trx) => {
      const instance = await ServerInstance.query({ client: trx })
        .where('id', instanceId)
        .forUpdate()
        .firstOrFail()
      if (instance.status === 'deleted') return
      await trx.from('port_leases').where('server_instance_id', instanceId).delete()
      await runDeletionCommitHooks(instance, trx)
      await clearInstanceAsDefault(instanceId, trx)
      instance.merge({
        status: 'deleted',
        statusReason: null,
        privateIp: null,
        ports: {},
        sshKey: null,
        boostedUntil: null,
        deletedAt: DateTime.utc(),
      })
      await instance.save()
      await audit(
        {
          actor: null,
          accountId: instance.accountId,
          action: 'instance.deleted',
          subject: { type: 'server_instance', id: instance.id, label: instance.name },
        },
        trx
      )
    })
  )
}
