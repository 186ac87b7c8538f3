import { unlessMissing } from '#compute/actions/limits'
import { powerOff, powerOn } from '#compute/actions/power'
import { forget } from '#compute/connections'
import ServerInstance, { type InstanceStatus } from '#compute/models/server_instance'
import { untilItAnswers } from '#compute/operations/provision'
import { type InstanceInput, onInstance } from '#compute/operations/steps'
import { defineOperation, type Step, type StepContext } from '#core/operations/operations'

const stop: Step<InstanceInput> = {
  key: 'stop',
  label: 'Shut it down',
  run: (input, context) =>
    onInstance(input, context, async ({ instance, incus }) => {
      await forget(instance)
      await powerOff(incus, instance.systemId!)
    }),
}

const start: Step<InstanceInput> = {
  key: 'start',
  label: 'Start it',
  run: (input, context) =>
    onInstance(input, context, ({ instance, incus }) =>
      powerOn(incus, instance.systemId!, { quota: instance.diskBytes })
    ),
}

const answer: Step<InstanceInput> = {
  key: 'answer',
  label: 'Wait until it answers',
  run: async (input, context) => {
    const instance = await onInstance(input, context, async (work) => work.instance)
    await untilItAnswers(instance, context)
  },
}

/** The last step: what it is from now on. */
function become(status: InstanceStatus, from: InstanceStatus[]): Step<InstanceInput> {
  return {
    key: 'note',
    label: 'Note its state',
    run: (input, context) =>
      onInstance(input, context, async ({ instance }) => {
        if (!from.includes(instance.status)) return
        instance.status = status
        if (status !== 'suspended') instance.statusReason = null
        await instance.save()
      }),
  }
}

/** After a failure the state is what Incus says. */
async function asItIs(input: InstanceInput, _reason: string, context: StepContext): Promise<void> {
  await onInstance(input, context, async ({ instance, incus }) => {
    if (instance.status !== 'active' && instance.status !== 'stopped') return
    const found = await unlessMissing(incus.instances.get(instance.systemId!))
    if (!found) return
    await ServerInstance.query()
      .where('id', instance.id)
      .update({ status: found.status === 'Running' ? 'active' : 'stopped' })
  }).catch(() => {})
}

/** Starts a stopped instance. */
export const starting = defineOperation<InstanceInput>({
  kind: 'instance.start',
  steps: [start, answer, become('active', ['stopped'])],
  failed: asItIs,
})

/** Shuts an instance down. */
export const stopping = defineOperation<InstanceInput>({
  kind: 'instance.stop',
  steps: [stop, become('stopped', ['active'])],
  failed: asItIs,
})

/** Shuts it down and starts it again. */
export const restarting = defineOperation<InstanceInput>({
  kind: 'instance.restart',
  steps: [stop, start, answer, become('active', ['active', 'stopped'])],
  failed: asItIs,
})

/** Shuts down an instance that its customer may not use; the call has suspended it already. */
export const suspending = defineOperation<InstanceInput>({
  kind: 'instance.suspend',
  steps: [stop],
})

/** Gives it back to its customer, running. */
export const resuming = defineOperation<InstanceInput>({
  kind: 'instance.resume',
  steps: [start, answer, become('active', ['suspended'])],
})
