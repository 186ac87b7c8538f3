import { AppError } from '#core/app_error'
import { resumeInstance, suspendInstance } from '#instances/actions/instance_lifecycle'
import ServerInstance from '#instances/models/server_instance'

export async function suspendInstancesOfAccount({
  id: accountId,
  statusReason,
}: {
  id: number
  statusReason: string | null
}): Promise<void> {
  const present = await ServerInstance.query()
    .where({ accountId })
    .whereIn('status', ['active', 'stopped'])
    .whereNull('deletionAskedAt')
  const reason = `The account is suspended${statusReason ? `: ${statusReason}` : '.'}`
  for (const { id } of present) {
    await ignoreConflict(suspendInstance(null, id, reason, undefined, { withAccount: true }))
  }
}

/** Resumes only instances that were suspended with their account. Those stopped before the suspension stay stopped. */
export async function resumeInstancesOfAccount({ id: accountId }: { id: number }): Promise<void> {
  await ServerInstance.query()
    .where({ accountId, status: 'suspended', heldFrom: 'stopped' })
    .update({ status: 'stopped', statusReason: null, heldFrom: null })
  const held = await ServerInstance.query().where({
    accountId,
    status: 'suspended',
    heldFrom: 'active',
  })
  for (const { id } of held) await ignoreConflict(resumeInstance(null, id))
}

/** Ignores 404 and 409: the instance was deleted or changed meanwhile. */
async function ignoreConflict(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (!(error instanceof AppError) || ![404, 409].includes(error.status)) throw error
  }
}
