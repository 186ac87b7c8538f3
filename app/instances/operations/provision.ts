import { audit } from '#core/audit/audit'
import { defineOperation, RetryLater, type StepContext } from '#core/operations/operations'
import { AppError } from '#core/app_error'
import { HostInstance, chooseHost } from '#hosts/public'
import { BASE_IMAGE } from '#hosts/public_effects'
import { ensureIsolation } from '#instances/containers/isolation'
import { createContainer } from '#instances/containers/create_container'
import { setHostname, installSshKeys } from '#instances/containers/install_ssh_keys'
import { applyLimits } from '#instances/containers/limits'
import { isTcpPortOpen, forwardPort } from '#instances/containers/ports'
import { startContainer } from '#instances/containers/power'
import { instanceDeleted } from '#instances/errors'
import { connectToInstance, sshTarget } from '#instances/instance_machines'
import ServerInstance from '#instances/models/server_instance'
import { provisionInstanceOutline, provisionSteps } from '#instances/operations/provision_outline'
import {
  type InstanceOperationInput,
  withLockedInstance,
  pollUntil,
} from '#instances/operations/step_helpers'
import { MachineError } from '#packages/machine/main'
import db from '@adonisjs/lucid/services/db'

/** Building the base image on a new host takes minutes. */
const IMAGE_TIMEOUT_MS = 45 * 60_000
const FIRST_RESPONSE_TIMEOUT_MS = 120_000
/** Each connection attempt first multiplies the timeout by 1.5, up to the maximum. */
const FIRST_CONNECT_TIMEOUT_MS = 100
const MAX_CONNECT_TIMEOUT_MS = 5_000

/** Each step adds only what is missing, so it can be interrupted and repeated. */
const run = {
  place: findHost,
  create,
  limits: setLimits,
  keys: putKeysIn,
  start,
  network: openPort,
  connect: waitForConnection,
  finish: activate,
}

export const instanceProvisionOperation = defineOperation<InstanceOperationInput>({
  ...provisionInstanceOutline,
  steps: provisionSteps.map((step) => ({ ...step, run: run[step.key] })),
  async result({ instanceId }) {
    return { instanceId, url: `/server-instance/${instanceId}` }
  },
  async failed({ instanceId }, reason) {
    await ServerInstance.query()
      .where('id', instanceId)
      .where('status', 'pending')
      .whereNull('deletionAskedAt')
      .update({ status: 'failed', status_reason: reason })
  },
})

/**
 * Chooses another host if the one from the order is missing or no longer active, and the creation of
 * a container has not begun.
 */
async function findHost(
  { instanceId }: InstanceOperationInput,
  context: StepContext
): Promise<void> {
  const host = await db.transaction(async (trx) => {
    const instance = await ServerInstance.query({ client: trx })
      .where('id', instanceId)
      .forUpdate()
      .firstOrFail()
    if (instance.deletionAskedAt) throw instanceDeleted()
    const hostId = instance.hostInstanceId
      ? await HostInstance.find(instance.hostInstanceId, { client: trx })
      : null
    if (hostId && (hostId.status === 'active' || instance.systemId)) return hostId
    const { vcpu, memoryBytes: memory, diskBytes: disk } = instance
    const newHost = await chooseHost({ vcpu, memory, disk }, trx)
    instance.hostInstanceId = newHost.id
    await instance.save()
    return newHost
  })
  await context.reportProgress(`On ${host.name}`)
}

async function create(input: InstanceOperationInput, context: StepContext): Promise<void> {
  await waitForImage(input, context)
  await withLockedInstance(input, context, (work) => createContainer(work, context))
}

async function waitForImage(input: InstanceOperationInput, context: StepContext): Promise<void> {
  const container = await withLockedInstance(input, context, ({ incus }) =>
    incus.images.byAlias(BASE_IMAGE)
  )
  if (container) return
  const since = Number(context.state.imageMissingSince ?? Date.now())
  if (Date.now() > since + IMAGE_TIMEOUT_MS) {
    const message = 'The base image of this host could not be built. Try again later.'
    throw new AppError('no_image', 503, message, { retryAfter: 600 })
  }
  await context.saveState('imageMissingSince', since)
  throw new RetryLater('Waiting until the base image of this host is built')
}

async function setLimits(input: InstanceOperationInput, context: StepContext): Promise<void> {
  await withLockedInstance(input, context, async ({ instance, incus }) => {
    const { limits, diskBytes: disk } = instance
    await applyLimits(incus, instance.systemId!, { ...limits, disk })
    const { config } = await incus.instances.get(instance.systemId!)
    await ensureIsolation(incus, instance.systemId!, config)
  })
}

/** Installs the SSH keys before the first start. If the instance already runs, keeps its pinned host key. */
async function putKeysIn(input: InstanceOperationInput, context: StepContext): Promise<void> {
  await withLockedInstance(input, context, async ({ instance, incus }) => {
    const { status } = await incus.instances.get(instance.systemId!)
    if (instance.instanceType === 'shared' || (status === 'Running' && instance.hostKey)) return
    await installSshKeys(instance, incus)
  })
}

async function start(input: InstanceOperationInput, context: StepContext): Promise<void> {
  await withLockedInstance(input, context, async ({ instance, incus }) => {
    await startContainer(incus, instance.systemId!)
    await setHostname(instance, incus)
  })
}

async function openPort(input: InstanceOperationInput, context: StepContext): Promise<void> {
  await withLockedInstance(input, context, async ({ instance, host, incus }) => {
    instance.ip = host.ip
    if (instance.instanceType === 'regular') {
      const ssh = await forwardPort(instance, host, incus, { name: 'ssh', innerPort: 22 })
      instance.ports = { ...instance.ports, ssh }
    }
    await instance.save()
  })
}

async function waitForConnection(
  input: InstanceOperationInput,
  context: StepContext
): Promise<void> {
  const instance = await withLockedInstance(input, context, async (work) => work.instance)
  await waitUntilReachable(instance, context)
}

/**
 * Waits until a started instance responds. A booting instance drops the first packet, which the kernel sends again only
 * after a second. Many short attempts therefore connect sooner.
 * @throws 503 if the instance does not respond in time
 */
export async function waitUntilReachable(
  instance: ServerInstance,
  context: StepContext
): Promise<void> {
  // In a shared instance, Incus runs commands before systemd has created folders such as /run/lock, so this command
  // waits for systemd. In a regular instance, the SSH server starts only after systemd has created them.
  const argv =
    instance.instanceType === 'regular'
      ? ['true']
      : ['systemctl', 'is-active', '--quiet', 'basic.target']
  let last: unknown
  let hasRunCommand = false
  let timeoutMs = FIRST_CONNECT_TIMEOUT_MS
  const answered = await pollUntil(
    context,
    { within: FIRST_RESPONSE_TIMEOUT_MS, every: 50 },
    async () => {
      try {
        if (instance.instanceType === 'regular') {
          const { host, port } = await sshTarget(instance)
          timeoutMs = Math.min(timeoutMs * 1.5, MAX_CONNECT_TIMEOUT_MS)
          if (!(await isTcpPortOpen(host, port ?? 22, timeoutMs))) return false
        }
        const machine = await connectToInstance(instance)
        const { code } = await machine.exec(argv, { timeout: 20_000 })
        hasRunCommand = true
        return code === 0
      } catch (error) {
        if (error instanceof MachineError && error.kind === 'refused-host-key') throw error
        if (!(error instanceof MachineError)) throw error
        last = error
        return false
      }
    }
  )
  // If the instance runs commands but does not finish booting, it becomes active nevertheless, so that its owner can
  // repair it.
  if (!answered && !hasRunCommand) {
    const message = 'The instance started, but the console cannot sign in to it.'
    throw new AppError('no_answer', 503, message, { cause: last })
  }
}

async function activate(input: InstanceOperationInput, context: StepContext): Promise<void> {
  await withLockedInstance(input, context, async ({ instance, host }) => {
    if (instance.status !== 'pending') return
    instance.merge({ status: 'active', statusReason: null })
    await db.transaction(async (trx) => {
      instance.useTransaction(trx)
      await instance.save()
      await audit(
        {
          actor: null,
          accountId: instance.accountId,
          action: 'instance.provisioned',
          subject: { type: 'server_instance', id: instance.id, label: instance.name },
          after: { host: host.name, ip: instance.ip, ports: instance.ports },
        },
        trx
      )
    })
  })
}
