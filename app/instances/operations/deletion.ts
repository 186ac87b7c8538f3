import { audit } from '#core/audit/audit'
import { defineOperation, type StepContext } from '#core/operations/operations'
import { forgetChosen } from '#accounts/public'
import { recordedIn } from '#instances/containers/marks'
import { stopContainer } from '#instances/containers/power'
import type { Work } from '#instances/containers/work'
import { tellDeleted, tellGone } from '#instances/hooks'
import { withInstanceLock } from '#instances/lock'
import { forget } from '#instances/machines'
import ServerInstance from '#instances/models/server_instance'
import { type InstanceInput, onInstance } from '#instances/operations/steps'
import { removeContainer, unlessMissing } from '#packages/incus/main'
import db from '@adonisjs/lucid/services/db'
import { DateTime } from 'luxon'

/** Deletes an instance with everything that it holds: container, disk, port, address, domains. */
export const deletion = defineOperation<InstanceInput>({
  kind: 'instance.delete',
  lane: 'machine',
  steps: [
    {
      key: 'stop',
      label: 'Stop it',
      run: (input, context) =>
        onContainer(input, context, async ({ instance, incus }) => {
          await forget(instance)
          await stopContainer(incus, instance.systemId!, { force: true })
        }),
    },
    { key: 'tell', label: 'Remove its sites and services', run: takeDown },
    {
      key: 'remove',
      label: 'Delete its disk',
      run: (input, context) =>
        onContainer(input, context, ({ instance, incus }) =>
          removeContainer(incus, instance.systemId!)
        ),
    },
    { key: 'free', label: 'Free its name, port and address', run: free },
  ],
  async failed({ instanceId }, reason) {
    await ServerInstance.live()
      .where('id', instanceId)
      .update({ status: 'failed', status_reason: `Deleting failed: ${reason}` })
  },
})

/** Only where there is a container, and only when it is ours. */
async function onContainer(
  input: InstanceInput,
  context: StepContext,
  work: (what: Work) => Promise<void>
): Promise<void> {
  const { hostInstanceId, systemId } = await ServerInstance.findOrFail(input.instanceId)
  if (!hostInstanceId || !systemId) return
  await onInstance(
    input,
    context,
    async (what) => {
      // Of the row as the work reads it: it may have changed since.
      const found = await unlessMissing(what.incus.instances.get(what.instance.systemId!))
      if (found && (await recordedIn(found)) === what.instance.id) await work(what)
    },
    { deleting: true }
  )
}

async function takeDown({ instanceId }: InstanceInput): Promise<void> {
  await tellDeleted(await ServerInstance.findOrFail(instanceId))
}

async function free({ instanceId }: InstanceInput): Promise<void> {
  await withInstanceLock(instanceId, () =>
    db.transaction(async (trx) => {
      const instance = await ServerInstance.query({ client: trx })
        .where('id', instanceId)
        .forUpdate()
        .firstOrFail()
      if (instance.status === 'deleted') return
      await trx.from('port_leases').where('server_instance_id', instanceId).delete()
      await tellGone(instance, trx)
      await forgetChosen(instanceId, trx)
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
