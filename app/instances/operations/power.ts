import { defineOperation, type Step, type StepContext } from '#core/operations/operations'
import { startContainer, stopContainer } from '#instances/containers/power'
import { reapplyRecordedSettingsIfNeeded } from '#instances/containers/reapply_recorded_settings'
import { isAnswering } from '#instances/is_answering'
import { closeInstanceConnections, connectToInstance } from '#instances/instance_machines'
import ServerInstance, { type InstanceStatus } from '#instances/models/server_instance'
import { waitUntilReachable } from '#instances/operations/provision'
import { type InstanceOperationInput, withLockedInstance } from '#instances/operations/step_helpers'
import { SHUTDOWN_SECONDS, nullIfNotFound } from '#packages/incus/main'
import { dirname } from 'node:path'

const UNRESPONSIVE_SHUTDOWN_SECONDS = 10

/** Stops the instance by Incus alone, because the instance may not respond. */
const stop: Step<InstanceOperationInput> = {
  key: 'stop',
  label: 'Shut down the instance',
  run: (input, context) =>
    withLockedInstance(input, context, async ({ instance, incus }) => {
      const timeoutSeconds = (await isAnswering(instance))
        ? SHUTDOWN_SECONDS
        : UNRESPONSIVE_SHUTDOWN_SECONDS
      if (timeoutSeconds < SHUTDOWN_SECONDS) {
        await context.reportProgress(
          `The instance does not respond. Waiting ${timeoutSeconds} seconds before a forced power-off`
        )
      }
      await closeInstanceConnections(instance)
      await stopContainer(incus, instance.systemId!, {
        timeoutSeconds,
        onForce: () =>
          context.reportProgress('The instance did not shut down, so a power-off was forced'),
      })
    }),
}

const start: Step<InstanceOperationInput> = {
  key: 'start',
  label: 'Start the instance',
  run: (input, context) =>
    withLockedInstance(input, context, async ({ instance, incus }) => {
      const container = await incus.instances.get(instance.systemId!)
      const unapplied = await reapplyRecordedSettingsIfNeeded(instance, container, incus)
      if (unapplied.length) {
        const parts = unapplied.map(({ part, reason }) => `${part} (${reason})`).join(', ')
        await context.reportProgress(
          `Berth could not apply these parts of the instance’s records yet, and tries again every minute: ${parts}`
        )
      }
      await startContainer(incus, instance.systemId!, instance.diskBytes)
    }),
}

const waitUntilAnswering: Step<InstanceOperationInput> = {
  key: 'answer',
  label: 'Wait until the instance responds',
  run: async (input, context) => {
    const instance = await withLockedInstance(input, context, async (work) => work.instance)
    await waitUntilReachable(instance, context)
  },
}

/** Path of a systemd drop-in that applies only to the next start of PM2's service. */
const PM2_HOLD_PATH = '/etc/systemd/system/pm2-berth.service.d/hold.conf'

// Before PM2 loads its saved list, marks all apps in it as stopped. The customer can then start them one by one. If
// the list cannot be read, PM2 does not start.
const PM2_HOLD_UNIT = `[Service]
ExecStartPre=/usr/local/bin/node -e 'const fs=require("fs"),file="/home/berth/.pm2/dump.pm2",list=JSON.parse(fs.readFileSync(file,"utf8"));for(const app of list)app.status="stopped";fs.writeFileSync(file,JSON.stringify(list))'
`

const holdApps: Step<InstanceOperationInput> = {
  key: 'hold',
  label: 'Disable the apps of the instance',
  run: (input, context) =>
    withLockedInstance(input, context, async ({ instance, incus }) => {
      // The instance is stopped now, so no program inside it can interfere.
      const name = instance.systemId!
      await incus.instances.makeDirectory(name, dirname(PM2_HOLD_PATH)).catch(() => {})
      await incus.instances.pushFile(name, PM2_HOLD_PATH, PM2_HOLD_UNIT)
    }),
}

const releaseApps: Step<InstanceOperationInput> = {
  key: 'release',
  label: 'Enable the apps for the next start',
  run: async (input, context) => {
    const instance = await withLockedInstance(input, context, async (work) => work.instance)
    const machine = await connectToInstance(instance)
    // Waits until the boot has read the drop-in, which is then deleted. Ignores errors, because some services may have
    // failed to start.
    await machine
      .exec(['systemctl', 'is-system-running', '--wait'], { timeout: 90_000 })
      .catch(() => {})
    await releaseHold(input, context)
    await machine.exec(['systemctl', 'daemon-reload'], { user: 'root', timeout: 60_000 })
  },
}

function releaseHold(input: InstanceOperationInput, context: StepContext): Promise<unknown> {
  return withLockedInstance(input, context, ({ instance, incus }) =>
    nullIfNotFound(incus.instances.deleteFile(instance.systemId!, PM2_HOLD_PATH))
  )
}

function setStatus(status: InstanceStatus, from: InstanceStatus[]): Step<InstanceOperationInput> {
  return {
    key: 'note',
    label: 'Save the state of the instance',
    run: (input, context) =>
      withLockedInstance(input, context, async ({ instance }) => {
        if (!from.includes(instance.status)) return
        instance.status = status
        if (status !== 'suspended') instance.statusReason = null
        await instance.save()
      }),
  }
}

/** After a failed operation, sets the status to the one that Incus reports. */
async function restoreStatus(
  input: InstanceOperationInput,
  _reason: string,
  context: StepContext
): Promise<void> {
  await withLockedInstance(input, context, async ({ instance, incus }) => {
    if (instance.status !== 'active' && instance.status !== 'stopped') return
    const container = await nullIfNotFound(incus.instances.get(instance.systemId!))
    if (!container) return
    await ServerInstance.query()
      .where('id', instance.id)
      .update({ status: container.status === 'Running' ? 'active' : 'stopped' })
  }).catch(() => {})
}

export const instanceStartOperation = defineOperation<InstanceOperationInput>({
  kind: 'instance.start',
  queue: 'machine',
  steps: [start, waitUntilAnswering, setStatus('active', ['stopped'])],
  failed: restoreStatus,
})

export const instanceStopOperation = defineOperation<InstanceOperationInput>({
  kind: 'instance.stop',
  queue: 'machine',
  steps: [stop, setStatus('stopped', ['active'])],
  failed: restoreStatus,
})

export const instanceRestartOperation = defineOperation<InstanceOperationInput>({
  kind: 'instance.restart',
  queue: 'machine',
  steps: [stop, start, waitUntilAnswering, setStatus('active', ['active', 'stopped'])],
  failed: restoreStatus,
})

/** Restarts an instance without starting its apps, because one of them may use up all CPU or memory. */
export const instanceRestartWithoutAppsOperation = defineOperation<InstanceOperationInput>({
  kind: 'instance.restart_without_apps',
  queue: 'machine',
  steps: [
    stop,
    holdApps,
    start,
    waitUntilAnswering,
    releaseApps,
    setStatus('active', ['active', 'stopped']),
  ],
  async failed(input, reason, context) {
    await releaseHold(input, context).catch(() => {})
    await restoreStatus(input, reason, context)
  },
})

/** The request that started this operation has already set the status. */
export const instanceSuspendOperation = defineOperation<InstanceOperationInput>({
  kind: 'instance.suspend',
  queue: 'machine',
  steps: [stop],
})

export const instanceResumeOperation = defineOperation<InstanceOperationInput>({
  kind: 'instance.resume',
  queue: 'machine',
  steps: [start, waitUntilAnswering, setStatus('active', ['suspended'])],
})
